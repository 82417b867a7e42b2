/**
 * Forks of clusters that run elsewhere: their objects are read with a client and become the state of an embedded cluster. Secrets are replaced on the way,
 * and objects that would make the fork send requests to other servers are left out.
 *
 * In: a client of a live cluster. Out: a cluster in this process.
 */
export { type ForkLiveOptions, forkLiveCluster, type LiveFork, type LiveForkReport } from "./fork-live-cluster.ts";
