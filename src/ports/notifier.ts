/** Something that a person who is not looking may want to know. */
export interface Notice {
  readonly kind: "needs-person" | "alert" | "ended";
  readonly session: string;
  readonly title: string;
  readonly text: string;
}

/** Tells a person. Never fails the caller, and is over within seconds. */
export interface Notifier {
  tell(notice: Notice): Promise<void>;
}
