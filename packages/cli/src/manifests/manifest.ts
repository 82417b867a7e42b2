import type { JsonObject } from "pintle/kinds";

/** One object and the folder and file under `config/` that it belongs to. */
export interface Manifest {
  /** "rbac": a folder with a kustomization of its own. */
  readonly part: Part;
  /** "role.yaml", beside the kustomization; several objects may share a file. */
  readonly file: string;
  readonly object: JsonObject;
}

export const PARTS = ["crd", "rbac", "manager", "webhook", "certmanager", "network-policy", "prometheus"] as const;
export type Part = (typeof PARTS)[number];
