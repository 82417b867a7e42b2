import type { JsonObject } from "pintle/kinds";

/** An object, and the folder and file under `config/` that it is written to. */
export interface Manifest {
  /** A folder with its own kustomization: "rbac". */
  readonly folder: ConfigFolder;
  /** File name in the folder: "role.yaml". Several objects may share a file. */
  readonly file: string;
  readonly object: JsonObject;
}

export const CONFIG_FOLDERS = ["crd", "rbac", "manager", "webhook", "certmanager", "network-policy", "prometheus"] as const;
export type ConfigFolder = (typeof CONFIG_FOLDERS)[number];
