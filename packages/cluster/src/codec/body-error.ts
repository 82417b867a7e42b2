/** A body that cannot be decoded. The message is that of Kubernetes' own decoder. */
export class BodyDecodeError extends Error {
  override readonly name = "BodyError";
}
