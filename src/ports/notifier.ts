/** Calls a person. Never fails the caller. */
export interface Notifier {
  needsPerson(text: string): void;
}
