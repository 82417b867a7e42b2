/** How much the parts of this benchmark do. */
export interface Sizes {
  readonly starts: number;
  readonly realStarts: number;
  readonly rounds: number;
  /** Of a round of writes, and of one of watching. */
  readonly seconds: number;
  readonly watchSeconds: number;
  /** Of one with a single watcher: the slowest hundredth of few writes is chance. */
  readonly steadySeconds: number;
  /** Objects created before anything is measured, of each kind: what is compiled while it runs is to be compiled. */
  readonly warmUp: number;
  readonly inProcess: number;
  readonly listed: number;
  readonly stored: number;
  readonly watchers: number;
}

export const SIZES: { readonly quick: Sizes; readonly usual: Sizes; readonly full: Sizes } = {
  quick: {
    starts: 1,
    realStarts: 1,
    rounds: 1,
    seconds: 0.2,
    watchSeconds: 1,
    steadySeconds: 1,
    warmUp: 50,
    inProcess: 50,
    listed: 100,
    stored: 100,
    watchers: 20,
  },
  usual: {
    starts: 5,
    realStarts: 2,
    rounds: 3,
    seconds: 0.5,
    watchSeconds: 2,
    steadySeconds: 10,
    warmUp: 2_000,
    inProcess: 2_000,
    listed: 10_000,
    stored: 5_000,
    watchers: 500,
  },
  full: {
    starts: 9,
    realStarts: 3,
    rounds: 7,
    seconds: 1,
    watchSeconds: 3,
    steadySeconds: 20,
    warmUp: 5_000,
    inProcess: 3_000,
    listed: 10_000,
    stored: 20_000,
    watchers: 500,
  },
};
