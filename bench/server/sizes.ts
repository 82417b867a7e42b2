/** The sizes of the parts of this benchmark. */
export interface ServerSizes {
  readonly starts: number;
  readonly realStarts: number;
  readonly rounds: number;
  /** The duration of a round of creates. */
  readonly seconds: number;
  /** The duration of a round of watches. */
  readonly watchSeconds: number;
  /** The same with a single watcher: longer, because a p99 needs many writes. */
  readonly singleWatcherSeconds: number;
  /** Objects of each kind created before the measurement, so that V8 has compiled the code. */
  readonly warmUp: number;
  readonly inProcessObjects: number;
  readonly listedObjects: number;
  readonly storedObjects: number;
  readonly watchers: number;
}

export const SIZES: { readonly quick: ServerSizes; readonly default: ServerSizes; readonly full: ServerSizes } = {
  quick: {
    starts: 1,
    realStarts: 1,
    rounds: 1,
    seconds: 0.2,
    watchSeconds: 1,
    singleWatcherSeconds: 1,
    warmUp: 50,
    inProcessObjects: 50,
    listedObjects: 100,
    storedObjects: 100,
    watchers: 20,
  },
  default: {
    starts: 5,
    realStarts: 2,
    rounds: 3,
    seconds: 0.5,
    watchSeconds: 2,
    singleWatcherSeconds: 10,
    warmUp: 2_000,
    inProcessObjects: 2_000,
    listedObjects: 10_000,
    storedObjects: 5_000,
    watchers: 500,
  },
  full: {
    starts: 9,
    realStarts: 3,
    rounds: 7,
    seconds: 1,
    watchSeconds: 3,
    singleWatcherSeconds: 20,
    warmUp: 5_000,
    inProcessObjects: 3_000,
    listedObjects: 10_000,
    storedObjects: 20_000,
    watchers: 500,
  },
};
