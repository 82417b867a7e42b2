/** A write was about to be made by a process that may no longer be the leader; it was not sent. */
export class NotLeading extends Error {
  override readonly name = "NotLeading";
}
