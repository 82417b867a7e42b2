export interface DenialOptions {
  /** The HTTP status that the client gets. Default: 403. */
  readonly code?: number | undefined;
  /** Kubernetes' word for it. Default: that of the code: "Forbidden". */
  readonly reason?: string | undefined;
}

/** A no that is about the request as a whole. Thrown by webhooks; made by `denied()`. */
export class Denied extends Error {
  override readonly name = "Denied";
  readonly code: number;
  readonly reason: string | undefined;

  constructor(message: string, { code = 403, reason }: DenialOptions = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** `throw denied("the cluster is frozen until Monday")`. What is wrong with a field is better returned as an error of that field. */
export function denied(message: string, options?: DenialOptions): Denied {
  return new Denied(message, options);
}
