import type { Clock } from "pintle/internal/clock";
import type { PriorityLevelConfigurationSpec } from "pintle/kinds/flowcontrol/v1";
import { FairQueue } from "../turns/index.ts";

/** Why a request was not admitted, as the metrics of kube-apiserver name it. */
export type RejectionReason = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

/** A request that waits for seats. */
interface WaitingRequest {
  readonly width: number;
  readonly flow: string;
  admit(): void;
  /** A request of a shorter flow takes its place. */
  evict(): void;
}

const DEFAULT_SHARES = 30;
const DEFAULT_QUEUES = 64;
const DEFAULT_HAND_SIZE = 8;
const DEFAULT_QUEUE_LENGTH = 50;

/**
 * The seats of a priority level, and the requests that wait for one. Flows take turns: the next seat goes to the flow that got the fewest
 * so far. Unlike kube-apiserver, every flow has a queue of its own instead of a hand of shared ones, as long as all of its hand together.
 */
export class PriorityLevel {
  readonly name: string;
  uid = "";
  shares = 0;
  lendablePercent = 0;
  borrowingLimitPercent: number | undefined;
  isExempt = false;
  /** Seats; without meaning for an exempt level. */
  limit = 0;
  seatsInUse = 0;
  readonly #clock: Clock;
  readonly #queue = new FairQueue<WaitingRequest>();
  #maxPerFlow = 0;
  #maxWaiting = 0;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  configure(uid: string, { type, limited, exempt }: PriorityLevelConfigurationSpec): void {
    this.uid = uid;
    this.isExempt = type === "Exempt";
    this.shares = (this.isExempt ? exempt?.nominalConcurrencyShares : (limited?.nominalConcurrencyShares ?? DEFAULT_SHARES)) ?? 0;
    this.lendablePercent = (this.isExempt ? exempt?.lendablePercent : limited?.lendablePercent) ?? 0;
    this.borrowingLimitPercent = limited?.borrowingLimitPercent;
    const response = limited?.limitResponse;
    const { queuing = {} } = response ?? {};
    const { queues = DEFAULT_QUEUES, handSize = DEFAULT_HAND_SIZE, queueLengthLimit = DEFAULT_QUEUE_LENGTH } = queuing;
    this.#maxPerFlow = response?.type === "Queue" ? handSize * queueLengthLimit : 0;
    this.#maxWaiting = response?.type === "Queue" ? queues * queueLengthLimit : 0;
  }

  /** Sets the number of seats and admits the requests that they suffice for. */
  setLimit(limit: number): void {
    this.limit = limit;
    this.#admitWaiting();
  }

  /** Takes the seats if they are free. A request that is wider than the level runs alone. */
  tryAcquire(width: number): boolean {
    if (!this.isExempt && (this.#queue.length > 0 || !this.#fits(width))) return false;
    this.seatsInUse += width;
    return true;
  }

  /** Waits for seats that `tryAcquire` did not get; resolves with the reason if the request is rejected. */
  async acquire(flow: string, width: number, maxWaitMs: number, signal: AbortSignal): Promise<RejectionReason | undefined> {
    if (this.#maxPerFlow === 0) return "concurrency-limit";
    if (this.#queue.lengthOf(flow) >= this.#maxPerFlow || !this.#makeRoom(flow)) return "queue-full";
    return new Promise((resolve) => {
      const waiter: WaitingRequest = { width, flow, admit: () => end(undefined), evict: () => end("queue-full") };
      const end = (reason: RejectionReason | undefined) => {
        this.#clock.clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        if (reason !== undefined) this.#queue.delete(flow, waiter);
        resolve(reason);
      };
      const cancel = () => end("cancelled");
      const timer = this.#clock.setTimeout(() => end("time-out"), maxWaitMs);
      signal.addEventListener("abort", cancel);
      this.#queue.push(flow, waiter);
      if (signal.aborted) cancel();
    });
  }

  release(width: number): void {
    this.seatsInUse -= width;
    this.#admitWaiting();
  }

  /** Where all queues are full, the longest flow loses its last request: no number of requests keeps out users with few. */
  #makeRoom(flow: string): boolean {
    if (this.#queue.length < this.#maxWaiting) return true;
    const longest = this.#queue.peekLongest();
    if (longest === undefined || longest.length <= this.#queue.lengthOf(flow) + 1) return false;
    longest.last.evict();
    return true;
  }

  #fits(width: number): boolean {
    return this.seatsInUse === 0 || this.seatsInUse + width <= this.limit;
  }

  #admitWaiting(): void {
    for (let next = this.#queue.peek(); next !== undefined && (this.isExempt || this.#fits(next.width)); next = this.#queue.peek()) {
      this.#queue.shift(next.width);
      this.seatsInUse += next.width;
      next.admit();
    }
  }
}
