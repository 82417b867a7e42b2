/** A request body that cannot be read. The message is what Kubernetes' own decoder says. */
export class BodyError extends Error {
  override readonly name = "BodyError";
}
