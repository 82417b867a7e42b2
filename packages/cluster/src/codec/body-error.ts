/** A body that cannot be decoded. The message is that of Kubernetes' own decoder. */
export class BodyDecodeError extends Error {
  override readonly name = "BodyError";
}

/** A body with more values than the server processes. */
export class TooManyValuesError extends Error {
  override readonly name = "TooManyValuesError";
}
