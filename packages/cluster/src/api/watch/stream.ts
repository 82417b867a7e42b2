import type { WatchEvent, WatchSink, WatchStream } from "../request.ts";

/** The writing end of a watch: events gather until the reader opens it. */
export interface StreamWriter {
  readonly stream: WatchStream;
  event(event: WatchEvent): void;
  /** What has gathered is still delivered; nothing after. */
  end(): void;
}

/** `stopped` is called once, when either side ends it. */
export function watchStream(stopped: () => void): StreamWriter {
  let gathered: WatchEvent[] = [];
  let sink: WatchSink | undefined;
  let state: "going" | "ended" | "stopped" = "going";
  return {
    event(event) {
      if (state !== "going") return;
      if (sink === undefined) gathered.push(event);
      else sink.event(event);
    },
    end() {
      if (state !== "going") return;
      state = "ended";
      stopped();
      sink?.end();
    },
    stream: {
      open(opened) {
        const before = gathered;
        gathered = [];
        for (const event of before) opened.event(event);
        if (state === "ended") opened.end();
        sink = opened;
        return () => {
          if (state !== "going") return;
          state = "stopped";
          stopped();
        };
      },
    },
  };
}
