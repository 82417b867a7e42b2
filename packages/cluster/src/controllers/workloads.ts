import { silent } from "pintle/controller";
import { start } from "pintle/manager";
import { deploymentController } from "./deployment/controller.ts";
import type { Part, Plant } from "./part.ts";
import { replicaSetController } from "./replica-set/controller.ts";

/** The controllers in which one kind drives the work: ordinary `controller()`s under an ordinary manager. */
export function workloads({ clock, ...plant }: Plant): Part {
  const controllers = [deploymentController(clock), replicaSetController(clock)];
  const manager = start({ ...plant, clock, controllers, logger: silent });
  return { name: "workloads", ready: manager.ready, stop: () => manager.stop() };
}
