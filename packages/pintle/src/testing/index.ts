/**
 * Tests without a server: `simulate()` runs a controller on objects in memory until it settles, `checkRoundTrips()` checks the conversions of a
 * resource on generated objects, and `virtualClock()` advances time when a test says so.
 *
 * In: a controller and objects. Out: the resulting objects, the executed plans and the recorded events.
 */

export { seededRandom, type VirtualClock, virtualClock } from "../clock/index.ts";
export type {
  ApplyStep,
  Plan,
  PlanStep,
  PruneStep,
  RecordedEvent,
  ReplayedPlan,
  SkipStep,
  StatusStep,
  WaitStep,
  WriteStep,
} from "../controller/index.ts";
export { loadControllers } from "./load-controllers.ts";
export { objectFixture, type PartialObject } from "./object-fixture.ts";
export { type Replay, type ReplayedPass, replayRun } from "./replay.ts";
export { type ConversionLoss, checkRoundTrips, type RoundTripOptions } from "./round-trips.ts";
export { type Fixture, type Simulation, type SimulationOptions, simulate } from "./simulate.ts";
