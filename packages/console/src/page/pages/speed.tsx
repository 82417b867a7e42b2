/** Where time goes: latency and throughput over time. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Speed as SpeedData } from "../../protocol.ts";
import { runHref } from "../app/links.ts";
import { go, here, location } from "../app/router.ts";
import { theme } from "../app/theme.ts";
import { clusterNow } from "../data/stream.ts";
import { useRead } from "../data/use-read.ts";
import { count, formatDuration, formatTime } from "../model/format.ts";
import { Empty, Mark, Reading, Section, Time, Title } from "../parts/basics.tsx";
import { FilterSelect, Toggle } from "../parts/filters.tsx";
import { PartsBar } from "./run.tsx";
import { RESULT_TONES } from "./runs.tsx";

const RANGES = [
  ["1", "1 min"],
  ["5", "5 min"],
  ["15", "15 min"],
  ["60", "1 h"],
] as const;
const BUCKETS = 120;

export function Speed(): JSX.Element {
  const { controller, minutes = "15" } = location.value.query;
  const range = RANGES.some(([value]) => value === minutes) ? Number(minutes) : 15;
  // In steps, so that the address of the request stays the same for a while.
  const step = (range * 60_000) / BUCKETS;
  const to = Math.ceil(clusterNow() / step) * step;
  const state = useRead("/api/speed", [], { controller, from: to - range * 60_000, to, buckets: BUCKETS, at: undefined });
  return (
    <div class="page">
      <Title title="Speed" />
      <div class="filters">
        <div class="toggles" role="group" aria-label="Range">
          {RANGES.map(([value, text]) => (
            <Toggle key={value} pressed={String(range) === value} onClick={() => go(here({ minutes: value }), true)}>
              {text}
            </Toggle>
          ))}
        </div>
        <FilterSelect
          label="Controller"
          name="controller"
          options={[["", "all"], ...(state.data?.controllers ?? []).map((each) => [each.controller, each.controller] as const)]}
        />
      </div>
      <Reading state={state}>
        {(speed) =>
          speed.runs.every((runs) => runs === 0) && speed.slowest.length === 0 ? (
            <Empty title="No run in this time." />
          ) : (
            <Charts speed={speed} />
          )
        }
      </Reading>
    </div>
  );
}

function Charts({ speed }: { readonly speed: SpeedData }): JSX.Element {
  const perSecond = (values: readonly number[]) => values.map((value) => value / (speed.step / 1_000));
  const { parts } = speed;
  return (
    <>
      <div class="charts">
        <Chart
          title="Runs and requests per second"
          time={speed.time}
          unit=""
          series={[
            { label: "runs", values: perSecond(speed.runs), color: "--accent" },
            { label: "requests", values: perSecond(speed.requests), color: "--mark" },
            { label: "errors", values: perSecond(speed.errors), color: "--bad", dash: [4, 3] },
          ]}
        />
        <Chart
          title="Duration of runs"
          time={speed.time}
          unit="ms"
          series={[
            { label: "p50", values: speed.durationP50, color: "--accent" },
            { label: "p99", values: speed.durationP99, color: "--warn", dash: [4, 3] },
          ]}
        />
        <Chart
          title="Wait in the queue"
          time={speed.time}
          unit="ms"
          series={[
            { label: "p50", values: speed.waitedP50, color: "--accent" },
            { label: "p99", values: speed.waitedP99, color: "--warn", dash: [4, 3] },
          ]}
        />
      </div>
      {speed.marks.length > 0 && (
        <Section title="Builds and faults">
          <ul class="panel">
            {speed.marks.map((mark, i) => (
              <li key={i}>
                <Time time={mark.time} /> {mark.text}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Where the time of all runs went">
        <PartsBar
          parts={[
            { name: "waited", ms: parts.waited },
            { name: "reconcile", ms: parts.reconcile },
            { name: "requests", ms: parts.requests },
            { name: "rest", ms: parts.rest },
          ]}
        />
      </Section>
      <Section title="Controllers">
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Controllers">
          <table class="grid">
            <thead>
              <tr>
                <th scope="col">Controller</th>
                <th scope="col" class="number">
                  Runs
                </th>
                <th scope="col" class="number">
                  Errors
                </th>
                <th scope="col" class="number">
                  p50
                </th>
                <th scope="col" class="number">
                  p99
                </th>
              </tr>
            </thead>
            <tbody>
              {speed.controllers.map((each) => (
                <tr key={each.controller}>
                  <th scope="row">{each.controller}</th>
                  <td class="number mono">{each.runs}</td>
                  <td class={`number mono ${each.errors > 0 ? "bad" : ""}`}>{each.errors}</td>
                  <td class="number mono">{formatDuration(each.p50)}</td>
                  <td class="number mono">{formatDuration(each.p99)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Section title="Slowest runs">
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Slowest runs">
          <table class="grid">
            <thead>
              <tr>
                <th scope="col">Run</th>
                <th scope="col">Result</th>
                <th scope="col">Time</th>
                <th scope="col" class="number">
                  Waited
                </th>
                <th scope="col" class="number">
                  Ran
                </th>
                <th scope="col" class="number">
                  Requests
                </th>
              </tr>
            </thead>
            <tbody>
              {speed.slowest.map((run) => (
                <tr key={run.id}>
                  <th scope="row">
                    <a href={runHref(run.id)}>
                      {run.controller} {run.key}
                    </a>
                  </th>
                  <td>
                    <Mark tone={RESULT_TONES[run.result]}>{run.result.replace("_", " ")}</Mark>
                  </td>
                  <td>
                    <Time time={run.time} />
                  </td>
                  <td class="number mono">{formatDuration(run.waited)}</td>
                  <td class="number mono">{formatDuration(run.duration)}</td>
                  <td class="number mono">{formatDuration(run.requesting ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
    </>
  );
}

interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A custom property. */
  readonly color: string;
  readonly dash?: number[];
}

interface ChartProps {
  readonly title: string;
  readonly time: readonly number[];
  readonly unit: string;
  readonly series: readonly Series[];
}

const CHART_HEIGHT = 168;

/** A chart, and its newest and greatest values as text. */
function Chart({ title, time, unit, series }: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const data = [time.map((each) => each / 1_000), ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const plot = useRef<uPlot | undefined>(undefined);
  const scheme = theme.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const color = (name: string) => resolveColor(element, name);
    const axis = {
      stroke: color("--muted"),
      grid: { stroke: color("--line"), width: 1 },
      ticks: { stroke: color("--line"), width: 1 },
      font: "11px system-ui",
    };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: CHART_HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        axes: [
          { ...axis, values: (_plot, seconds) => seconds.map((each) => formatTime(each * 1_000).slice(0, 8)) },
          { ...axis, size: 48 },
        ],
        scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] } },
        series: [
          {},
          ...series.map(({ label, color: name, dash }) => ({
            label,
            stroke: color(name),
            width: 1.5,
            points: { size: 3 },
            ...(dash === undefined ? {} : { dash }),
          })),
        ],
      },
      data,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: CHART_HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [title, scheme]);
  useEffect(() => plot.current?.setData(data));
  const format = (value: number) => (unit === "ms" ? formatDuration(value) : value < 10 ? value.toFixed(1) : String(Math.round(value)));
  return (
    <figure class="chart panel">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ label, values, color }) => {
            const numbers = values.filter((value) => value !== null);
            const newest = numbers.at(-1);
            return (
              <li key={label}>
                <span class={`legend-line legend${color}`} aria-hidden="true" />
                {label}{" "}
                <span class="mono">{newest === undefined ? "none" : `${format(newest)}, at most ${format(Math.max(...numbers))}`}</span>
              </li>
            );
          })}
        </ul>
      </figcaption>
      <div ref={box} class="chart-box" role="img" aria-label={`${title}: ${count(time.length, "value")} over time`} />
    </figure>
  );
}

/** The canvas knows no custom properties. */
function resolveColor(element: HTMLElement, name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
