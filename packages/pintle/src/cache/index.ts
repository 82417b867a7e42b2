/**
 * What the server has, known here: list and watch, stores, indexes, and one's own writes at once.
 *
 * In: a client. Out: views of a kind that are read without a request, and changes (old and new) for whoever listens.
 * `reflect` decides what to ask the server for, `replica` decides which of two versions of an object counts; both are
 * pure. A view is a handle: the watch behind it is shared, and ends with its last handle.
 */
export { type Cache, type CacheOptions, cache, type WatchScope } from "./cache.ts";
export { frozen } from "./frozen.ts";
export type { CacheObserver, Handler, WatchHealth } from "./informer.ts";
export { NotSynced, NotWatched, type Problem, resourceOf } from "./problem.ts";
export type { Change, ChangeEvent } from "./replica.ts";
export { type LabelSelector, type Labels, labelSelector, type Matcher, matcher } from "./selector.ts";
export type { IndexKeys, Stored } from "./store.ts";
export type { Reader, View } from "./view.ts";
export { type Landing, landing, type WriteObserver, writesThrough } from "./writes-through.ts";
