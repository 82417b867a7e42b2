/**
 * Tests without a server: `simulate()` runs a controller on a few objects in memory until it is at rest, `roundTrips()`
 * tries the conversions of a resource on made-up objects, and `virtualClock()` lets time pass when a test says so.
 *
 * In: a controller and objects. Out: the objects as they end up, the plans that led there, and the events announced.
 */
export { seeded, type VirtualClock, virtualClock } from "../queue/index.ts";
export { given, type PartOf } from "./given.ts";
export { type Loss, type RoundTripOptions, roundTrips } from "./round-trips.ts";
export { type Fixture, type Simulation, simulate } from "./simulate.ts";
