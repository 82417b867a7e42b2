import type { WatchEvent, WatchSink, WatchStream } from "../request/api-request.ts";

/** The writing side of a watch: events are buffered until the reader opens the stream. */
export interface WatchStreamWriter {
  readonly stream: WatchStream;
  event(event: WatchEvent): void;
  /** Ends the stream after the buffered events. */
  end(): void;
}

/** Creates a watch stream; `onStop` is called once, when either side ends it. */
export function createWatchStream(onStop: () => void): WatchStreamWriter {
  let buffered: WatchEvent[] = [];
  let sink: WatchSink | undefined;
  let state: "going" | "ended" | "stopped" = "going";
  return {
    event(event) {
      if (state !== "going") return;
      if (sink === undefined) buffered.push(event);
      else sink.event(event);
    },
    end() {
      if (state !== "going") return;
      state = "ended";
      onStop();
      sink?.end();
    },
    stream: {
      open(opened) {
        const before = buffered;
        buffered = [];
        for (const event of before) opened.event(event);
        if (state === "ended") opened.end();
        sink = opened;
        return () => {
          if (state !== "going") return;
          state = "stopped";
          onStop();
        };
      },
    },
  };
}
