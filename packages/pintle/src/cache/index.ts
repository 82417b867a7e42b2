/**
 * Shared informers: list and watch, an indexed store per kind and scope, and read-your-writes.
 *
 * In: a client. Out: views of a kind that are read without a request, and object changes (old and new) for event handlers.
 * `reflector-state.ts` decides what to request next (where a watch resumes) and `read-your-writes.ts` decides which of two versions of an
 * object is stored; both are pure. `reflector.ts` executes the requests, `informer.ts` connects reflector, store and handlers, and
 * `cache.ts` shares informers between views.
 */
export { type Cache, type CacheOptions, createCache, type WatchScope } from "./cache.ts";
export type { CachedView, Lister } from "./cached-view.ts";
export { deepFreeze } from "./deep-freeze.ts";
export type { CacheObserver, ChangeHandler, WatchHealth } from "./informer.ts";
export type { ObjectChange, ObjectChangeType } from "./read-your-writes.ts";
export type { IndexFunction, StoredObject } from "./store.ts";
export { formatGroupResource, NotSynced, NotWatched, type WatchProblem } from "./watch-problem.ts";
export {
  createWriteThroughClient,
  createWriteThroughVerbs,
  type WriteCall,
  type WriteObserver,
  type WriteThroughVerbs,
} from "./write-through.ts";
