import { extended } from "pintle/kinds";
import { aborter, type Clock } from "pintle/queue";
import { type ApiAnswer, type ApiRequest, type ApiServer, type Placed, Roster } from "../api/index.ts";
import { factsOf } from "./facts.ts";
import type { RequestFault } from "./fault.ts";
import type { FaultBook } from "./fault-book.ts";
import { faultyWatch, type Surroundings } from "./faulty-watch.ts";
import { entryOf, type JournalWriter } from "./journal.ts";
import type { RequestFacts } from "./match.ts";
import type { Pulse } from "./pulse.ts";
import { refusal } from "./refusal.ts";

export interface FrontOptions {
  /** Who carries requests out, once it is there. */
  readonly server: () => Promise<Pick<ApiServer, "handle">> | Pick<ApiServer, "handle">;
  readonly clock: Clock;
  readonly journal: JournalWriter;
  readonly faults: FaultBook;
  readonly beats: Pulse;
  /** Called for requests that expect somebody to act: all but reads. */
  readonly used: () => void;
}

/** The way into the pipeline: everything that comes through is written down, and goes by the fault rules. */
export interface Front extends Pick<ApiServer, "handle"> {
  /** Breaks every watch and whatever waits for an answer. */
  cutAll(): void;
  /** Nothing is delayed any more, so that what is under way comes to its end. */
  release(): void;
}

const CUT: ApiAnswer = { status: 0, headers: {}, body: { type: "cut" } };
const READS = new Set(["get", "list"]);

export function front({ server, clock, journal, faults, beats, used }: FrontOptions): Front {
  const released = aborter();
  const around: Surroundings = { clock, faults, beats, open: new Set(), released: released.signal };
  const unanswered = new Roster<Unanswered>();

  const carriedOut = async (request: ApiRequest): Promise<ApiAnswer> => {
    const to = server();
    const work = (to instanceof Promise ? await to : to).handle(request);
    return new Promise((give, fail) => {
      const waits: Unanswered = { give, place: -1 };
      unanswered.add(waits);
      const over = () => unanswered.delete(waits);
      work.then(
        (answer) => over() && give(answer),
        (error) => over() && fail(error),
      );
    });
  };
  const faulted = async (request: ApiRequest, facts: RequestFacts, found: readonly RequestFault[], paused: Paused): Promise<ApiAnswer> => {
    for (const fault of found) if ("latency" in fault) await paused(() => asleep(clock, fault.latency, request.signal(), released.signal));
    for (const fault of found) {
      if ("status" in fault) return refusal(request, facts, fault);
      if (!("cut" in fault)) continue;
      if (fault.cut === "before") return CUT;
      const answer = await carriedOut(request);
      const { body } = answer;
      return { ...answer, body: body.type === "cut" ? body : { type: "cut", of: body } };
    }
    return carriedOut(request);
  };

  return {
    async handle(sent) {
      let annotations: Record<string, string> | undefined;
      const annotate = (key: string, value: string) => {
        annotations ??= {};
        annotations[key] ??= value;
      };
      const request: ApiRequest = extended(sent, { annotate });
      const facts = factsOf(request, faults.active);
      if (!READS.has(facts.verb)) used();
      let end = beats.begin();
      const paused: Paused = async (wait) => {
        end();
        await wait();
        end = beats.begin();
      };
      try {
        const found = faults.ofRequest(facts);
        const answer = await (found.length === 0 ? carriedOut(request) : faulted(request, facts, found, paused));
        const fault = found.length === 0 ? undefined : JSON.stringify(found);
        journal.write(entryOf(facts, answer, { at: clock.now(), annotations, fault }));
        if (answer.body.type !== "watch") return answer;
        return { ...answer, body: { type: "watch", stream: faultyWatch(answer.body.stream, facts, around) } };
      } finally {
        end();
      }
    },
    release: () => released.abort(),
    cutAll() {
      for (const { give } of unanswered.all()) give(CUT);
      for (const cut of [...around.open]) cut();
    },
  };
}

interface Unanswered extends Placed {
  readonly give: (answer: ApiAnswer) => void;
}

/** Until the time is over, or one of the signals aborts. */
async function asleep(clock: Clock, ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  const woken = aborter(...signals);
  await clock.sleep(ms, woken.signal).catch(() => {});
  woken.abort();
}

/** What waits for time to pass is not under way. */
type Paused = (wait: () => Promise<void>) => Promise<void>;
