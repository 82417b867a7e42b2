/** A webhook that no API server would take, or that would not do what it says. Thrown by `webhook()`. */
export class InvalidWebhook extends TypeError {
  override readonly name = "InvalidWebhook";
  constructor(kind: string, option: string, problem: string, advice: string) {
    super(`webhook for ${kind}: ${option}: ${problem}; ${advice}`);
  }
}
