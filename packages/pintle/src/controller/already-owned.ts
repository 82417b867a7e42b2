/** A child that a controller wants is controlled by somebody else. Cured by renaming the child or deleting the other object. */
export class AlreadyOwned extends Error {
  override readonly name = "AlreadyOwned";
}
