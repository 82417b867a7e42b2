import type { Stored } from "./store.ts";

/**
 * The object without managedFields, which are a third to a half of what the server sends and which nobody here reads.
 * An object that is frozen already is shared with whoever made it: copying it would cost memory, not save it.
 */
export function stripped<T extends Stored>(object: T): T {
  if (object.metadata.managedFields === undefined || Object.isFrozen(object)) return object;
  // Rebuilt, not deleted from: deleting turns the object into a slow and large hash table.
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
