/** One change and everything it caused: as a picture of time and tracks, and as the same in a list. */
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Chain as ChainData, ChainNode } from "../../protocol.ts";
import { useKeys } from "../app/keys.ts";
import { chainHref, objectHref, runHref } from "../app/links.ts";
import { at, go, here, location } from "../app/router.ts";
import { facts, newest, version } from "../data/stream.ts";
import { useRead } from "../data/use-read.ts";
import { layOutChain } from "../model/chain-layout.ts";
import { count, formatDuration } from "../model/format.ts";
import { Empty, Mark, ObjectLink, Reading, RevisionLink, RunLink, Section, Title } from "../parts/basics.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { Toggle } from "../parts/filters.tsx";

export function Chain({ revision }: { readonly revision: string | undefined }): JSX.Element {
  const number = Number(revision);
  return revision === undefined || !Number.isInteger(number) ? <Roots /> : <OneChain key={revision} revision={number} />;
}

/** Where a chain can begin: commits that no recorded controller made. */
function Roots(): JSX.Element {
  const turn = version.value;
  const until = at.value ?? Number.POSITIVE_INFINITY;
  const rows = useMemo(() => {
    const commits = facts.filter({ types: ["commit"], noise: true });
    return commits.filter((i) => facts.row(i).run === undefined && (facts.revision[i] ?? 0) <= until).reverse();
  }, [turn, until]);
  return (
    <div class="page fill">
      <Title title="Chain">
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            const value = new FormData(event.currentTarget).get("revision");
            if (typeof value === "string" && /^r?\d+$/.test(value)) go(chainHref(Number(value.replace("r", ""))));
          }}
        >
          <input
            name="revision"
            size={10}
            aria-label="Revision"
            placeholder={newest.value === undefined ? "Revision" : `r${newest.value}`}
          />
          <button type="submit">Show</button>
        </form>
      </Title>
      <p class="muted">Changes that no controller made. Each begins a chain: choose one to see everything that it caused.</p>
      {rows.length === 0 ? <Empty title="No change is recorded yet." /> : <FactList label="Changes" rows={rows} />}
    </div>
  );
}

function OneChain({ revision }: { readonly revision: number }): JSX.Element {
  const causes = location.value.query["causes"] === "1";
  const state = useRead("/api/chain/:revision", [revision], { causes: causes || undefined });
  return (
    <div class="page">
      {state.data === undefined && state.error !== undefined && <Title title={`Chain of r${revision}`} />}
      <Reading state={state}>
        {(chain) => (
          <>
            <Title
              title={
                <>
                  Chain of <span class="mono">r{chain.root}</span>
                </>
              }
            >
              <span class="muted">
                {count(chain.nodes.length, "step")} in {formatDuration(chain.end - chain.start)}
              </span>
              <Toggle pressed={causes} onClick={() => go(here({ causes: causes ? undefined : 1 }), true)}>
                Its causes, too
              </Toggle>
              <a href={here({ at: chain.root })}>Show the cluster at r{chain.root}</a>
            </Title>
            {chain.leftOut > 0 && <p class="notice warn-notice">{count(chain.leftOut, "step")} left out: a picture has at most 200.</p>}
            <Picture chain={chain} />
            <Steps chain={chain} />
          </>
        )}
      </Reading>
    </div>
  );
}

const TRACK_HEIGHT = 36;
const AXIS_HEIGHT = 24;
const NODE_HEIGHT = 24;

const nodeHref = (node: ChainNode) =>
  node.run !== undefined && node.type === "run"
    ? runHref(node.run)
    : node.object !== undefined
      ? objectHref(node.object, { at: node.revision, tab: "diff" })
      : chainHref(node.revision ?? 0);
const nodeLabel = (node: ChainNode) =>
  node.type === "run" ? `run ${(node.run ?? node.id).replace(/^run /, "").replace(/^[^-]*-/, "")}` : `r${node.revision}`;

const toItem = (node: ChainNode) => ({
  id: node.id,
  track: node.track,
  start: node.time,
  end: node.time + (node.type === "run" ? (node.duration ?? 0) : 0),
});

/** From below or above the middle of an item to the left of another one. */
function formatEdge(x1: number, y1: number, x2: number, y2: number): string {
  if (y1 === y2) return `M${x1},${y1} H${x2}`;
  const down = y2 > y1 ? 1 : -1;
  const start = y1 + (down * NODE_HEIGHT) / 2;
  const radius = Math.min(8, Math.abs(x2 - x1), Math.abs(y2 - start));
  if (x2 - x1 < radius) return `M${x1},${start} C${x1},${y2} ${x2 - 24},${y2} ${x2},${y2}`;
  return `M${x1},${start} V${y2 - down * radius} Q${x1},${y2} ${x1 + radius},${y2} H${x2}`;
}

function Picture({ chain }: { readonly chain: ChainData }): JSX.Element {
  const [active, setActive] = useState<string | undefined>(undefined);
  const [room, setRoom] = useState(0);
  const scroll = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = scroll.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(() => layOutChain(chain.nodes.map(toItem), room), [chain, room]);
  const placed = new Map(layout.items.map((item) => [item.id, item]));
  const tracks = new Map(chain.tracks.map((track) => [track.id, track]));
  const y = (track: number) => AXIS_HEIGHT + track * TRACK_HEIGHT + TRACK_HEIGHT / 2;
  const height = AXIS_HEIGHT + layout.tracks.length * TRACK_HEIGHT + 4;
  const related = new Set(chain.edges.flatMap(({ from, to }) => (from === active || to === active ? [from, to] : [])));
  return (
    <figure class="chain" aria-label={`Picture of the chain of r${chain.root}; the list below says the same`}>
      <div class="chain-tracks" style={{ paddingTop: `${AXIS_HEIGHT}px` }}>
        {layout.tracks.map((id) => {
          const track = tracks.get(id);
          return (
            <div key={id} class="chain-track ellipsis" style={{ height: `${TRACK_HEIGHT}px` }} title={track?.label ?? id}>
              {track?.object === undefined ? (track?.label ?? id) : <ObjectLink path={track.object}>{track.label}</ObjectLink>}
            </div>
          );
        })}
      </div>
      <div ref={scroll} class="chain-scroll" tabIndex={0} role="group" aria-label="Tracks over time">
        <div class="chain-canvas" style={{ width: `${layout.width}px`, height: `${height}px` }}>
          <svg width={layout.width} height={height} aria-hidden="true">
            {layout.tracks.map((id, i) => (
              <line key={id} class="track-line" x1={0} x2={layout.width} y1={y(i)} y2={y(i)} />
            ))}
            {layout.ticks.map(({ x, ms }) => (
              <text key={x} class="tick" x={x} y={14}>
                {formatDuration(ms)}
              </text>
            ))}
            {layout.folds.map(({ x, ms }) => (
              <line key={x} class="fold-line" x1={x} x2={x} y1={AXIS_HEIGHT - 4} y2={height}>
                <title>{formatDuration(ms)} folded</title>
              </line>
            ))}
            {chain.edges.map(({ from, to, inferred }) => {
              const a = placed.get(from);
              const b = placed.get(to);
              if (a === undefined || b === undefined) return null;
              const strong = active !== undefined && (from === active || to === active);
              return (
                <path
                  key={`${from} ${to}`}
                  class={`edge ${inferred === undefined ? "" : "edge-inferred"} ${strong ? "edge-strong" : ""}`}
                  d={formatEdge(a.x + 18, y(a.track), b.x, y(b.track))}
                />
              );
            })}
          </svg>
          {chain.nodes.map((node) => {
            const item = placed.get(node.id);
            if (item === undefined) return null;
            const dim = active !== undefined && active !== node.id && !related.has(node.id);
            return (
              <a
                key={node.id}
                href={nodeHref(node)}
                title={node.text}
                class={`chain-node ${node.type} ${node.error === undefined ? "" : "failed"} ${dim ? "dim" : ""}`}
                style={{
                  left: `${item.x}px`,
                  top: `${y(item.track) - NODE_HEIGHT / 2}px`,
                  minWidth: `${Math.max(item.width, NODE_HEIGHT)}px`,
                }}
                onMouseEnter={() => setActive(node.id)}
                onMouseLeave={() => setActive(undefined)}
                onFocus={() => setActive(node.id)}
                onBlur={() => setActive(undefined)}
              >
                {node.error !== undefined && "✕ "}
                {nodeLabel(node)}
              </a>
            );
          })}
        </div>
      </div>
    </figure>
  );
}

/** The same as the picture. The longest gap is marked: it is the slowest step. */
function Steps({ chain }: { readonly chain: ChainData }): JSX.Element {
  const into = new Map<string, ChainData["edges"][number][]>();
  for (const edge of chain.edges) into.set(edge.to, [...(into.get(edge.to) ?? []), edge]);
  const labels = new Map(chain.nodes.map((node) => [node.id, nodeLabel(node)]));
  const tracks = new Map(chain.tracks.map(({ id, label }) => [id, label]));
  const slowest = useMemo(() => {
    const cost = (node: ChainNode) =>
      (node.duration ?? 0) + Math.min(...(into.get(node.id) ?? []).map(({ gap }) => gap), Number.POSITIVE_INFINITY);
    return chain.nodes.filter(({ id }) => into.has(id)).sort((a, b) => cost(b) - cost(a))[0]?.id;
  }, [chain]);
  const focus = (by: number) => {
    const links = [...document.querySelectorAll<HTMLElement>(".chain-list tbody tr a:first-of-type")];
    const index = links.indexOf(document.activeElement as HTMLElement);
    links[Math.max(0, Math.min(links.length - 1, index + by))]?.focus();
  };
  useKeys({ j: () => focus(1), k: () => focus(-1) });
  return (
    <Section title="The same as a list">
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Steps of the chain">
        <table class="grid chain-list">
          <thead>
            <tr>
              <th scope="col" class="number">
                After
              </th>
              <th scope="col">Step</th>
              <th scope="col">Track</th>
              <th scope="col">What</th>
              <th scope="col">Because of</th>
              <th scope="col" class="number">
                Gap
              </th>
              <th scope="col" class="number">
                Took
              </th>
            </tr>
          </thead>
          <tbody>
            {chain.nodes.map((node) => {
              const edges = into.get(node.id) ?? [];
              const gap = edges.length === 0 ? undefined : Math.min(...edges.map((edge) => edge.gap));
              return (
                <tr key={node.id} class={node.id === slowest ? "slowest" : ""}>
                  <td class="number mono muted">{formatDuration(node.time - chain.start)}</td>
                  <th scope="row">
                    {node.type === "run" && node.run !== undefined ? (
                      <RunLink id={node.run} />
                    ) : (
                      <RevisionLink revision={node.revision ?? 0} />
                    )}
                  </th>
                  <td class="muted">{tracks.get(node.track) ?? node.track}</td>
                  <td class="wrap">
                    {node.object === undefined ? node.text : <a href={nodeHref(node)}>{node.text}</a>}
                    {node.error !== undefined && <span class="bad"> {node.error}</span>}
                    {node.id === slowest && <Mark tone="warn">slowest step</Mark>}
                  </td>
                  <td class="mono muted">
                    {edges.map(({ from, inferred }) => (
                      <span key={from}>
                        {labels.get(from) ?? from}
                        {inferred !== undefined && ` (inferred: ${inferred})`}{" "}
                      </span>
                    ))}
                  </td>
                  <td class="number mono">{gap === undefined ? "" : formatDuration(gap)}</td>
                  <td class="number mono">{node.duration === undefined ? "" : formatDuration(node.duration)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
