/** Of a Pod: logs that follow, one command line, and forwarded ports. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ExecResult, LogLine } from "../../../protocol.ts";
import { formatRoute, remove, write } from "../../data/api.ts";
import { useRead } from "../../data/use-read.ts";
import { can, Mark, Section } from "../../parts/basics.tsx";
import { useAction } from "../../parts/use-action.ts";

interface PodTabProps {
  readonly namespace: string;
  readonly pod: string;
  readonly containers: readonly string[];
  readonly ports: readonly number[];
}

export function PodTab({ namespace, pod, containers, ports }: PodTabProps): JSX.Element {
  const [container, setContainer] = useState(containers[0] ?? "");
  return (
    <>
      {containers.length > 1 && (
        <label class="field-inline">
          <span class="muted">Container</span>
          <select value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
            {containers.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {can("logs") && <Logs key={container} namespace={namespace} pod={pod} container={container} />}
      {can("exec") && <Exec namespace={namespace} pod={pod} container={container} />}
      {can("port-forward") && <Forwards namespace={namespace} pod={pod} ports={ports} />}
    </>
  );
}

const MAX_LINES = 2_000;

function Logs({
  namespace,
  pod,
  container,
}: {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}): JSX.Element {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [previous, setPrevious] = useState(false);
  const [end, setEnd] = useState<string | undefined>(undefined);
  const box = useRef<HTMLPreElement>(null);
  const follow = useRef(true);
  useEffect(() => {
    setLines([]);
    setEnd(undefined);
    const source = new EventSource(
      formatRoute("/api/logs/:namespace/:pod", [namespace, pod], { container, tail: 500, previous: previous || undefined }),
    );
    source.addEventListener("line", (event) => {
      const more = JSON.parse(event.data as string) as readonly LogLine[];
      setLines((before) => [...before, ...more].slice(-MAX_LINES));
    });
    source.addEventListener("end", (event) => {
      setEnd((JSON.parse(event.data as string) as { readonly reason: string }).reason);
      source.close();
    });
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) setEnd("The logs cannot be read.");
    };
    return () => source.close();
  }, [previous]);
  useEffect(() => {
    if (follow.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <Section
      title="Logs"
      side={
        <label class="check">
          <input type="checkbox" checked={previous} onChange={(event) => setPrevious(event.currentTarget.checked)} />
          Of the previous container
        </label>
      }
    >
      <pre
        ref={box}
        class="log panel"
        tabIndex={0}
        role="log"
        aria-label={`Logs of ${pod}`}
        onScroll={({ currentTarget: element }) => {
          follow.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 8;
        }}
      >
        {lines.map(({ text }) => `${text}\n`).join("")}
        {lines.length === 0 && end === undefined && "Waiting for lines"}
      </pre>
      {end !== undefined && <p class="muted">{end}</p>}
    </Section>
  );
}

function Exec({
  namespace,
  pod,
  container,
}: {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}): JSX.Element {
  const [command, setCommand] = useState("");
  const [result, setResult] = useState<ExecResult | undefined>(undefined);
  const action = useAction(async () => setResult(await write("/api/exec", { namespace, pod, container, command })));
  return (
    <Section title="Exec">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (command.trim() !== "") action.run();
        }}
      >
        <input
          class="mono grow"
          aria-label={`Command in ${pod}`}
          placeholder="ls /"
          value={command}
          onInput={(event) => setCommand(event.currentTarget.value)}
        />
        <button type="submit" disabled={action.busy}>
          {action.busy ? "Running" : "Run"}
        </button>
      </form>
      {action.error !== undefined && <p class="bad">{action.error.message}</p>}
      {result !== undefined && (
        <div class="panel" role="status" aria-label="Output">
          <pre>{result.stdout}</pre>
          {result.stderr !== "" && <pre class="bad">{result.stderr}</pre>}
          <Mark tone={result.exitCode === 0 ? "good" : "bad"}>
            exit code {result.exitCode}
            {result.truncated ? ", output cut" : ""}
          </Mark>
        </div>
      )}
    </Section>
  );
}

function Forwards({
  namespace,
  pod,
  ports,
}: {
  readonly namespace: string;
  readonly pod: string;
  readonly ports: readonly number[];
}): JSX.Element {
  const state = useRead("/api/port-forwards");
  const [port, setPort] = useState(String(ports[0] ?? ""));
  const action = useAction(async () => {
    await write("/api/port-forwards", { namespace, pod, port: Number(port) });
    state.again();
  });
  const mine = (state.data?.forwards ?? []).filter((forward) => forward.namespace === namespace && forward.pod === pod);
  return (
    <Section title="Port-forward">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          action.run();
        }}
      >
        <label class="field-inline">
          <span class="muted">Port of the pod</span>
          <input class="mono" inputMode="numeric" size={6} value={port} onInput={(event) => setPort(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={action.busy || !/^\d{1,5}$/.test(port)}>
          Forward
        </button>
      </form>
      {action.error !== undefined && <p class="bad">{action.error.message}</p>}
      <ul>
        {mine.map((forward) => (
          <li key={forward.id} class="links">
            <a href={forward.url} target="_blank" rel="noreferrer">
              {forward.url}
            </a>
            <span class="muted">to port {forward.port}</span>
            <button
              type="button"
              onClick={() => void remove(`/api/port-forwards/${encodeURIComponent(forward.id)}`).then(state.again, state.again)}
            >
              Stop
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
