export interface WebhookCall {
  /** The caller's own key for it where there is one: the same call twice has the same id. */
  readonly id: string;
  readonly at: number;
}

/** Listens on the loopback for calls by name. What is in their body is nobody's business. */
export interface WebhookListener {
  readonly port: number;
  /** Calls that were not taken yet, oldest first. */
  take(name: string): readonly WebhookCall[];
  close(): Promise<void>;
}

export interface WebhookRequest {
  readonly names: readonly string[];
  /** 0 takes any that is free. */
  readonly port: number;
  /** What a caller has to show. */
  readonly token: string;
}
