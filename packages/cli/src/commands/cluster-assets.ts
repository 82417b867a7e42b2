import { assetsFolder } from "@pintle/cluster/dropin";
import type { Command } from "../command.ts";

export const clusterAssets: Command = {
  name: "cluster assets",
  summary: "Print the folder that KUBEBUILDER_ASSETS should name, so that envtest suites run on the embedded API server.",
  usage: "",
  options: {},
  about: {},
  examples: ["pintle cluster assets", 'KUBEBUILDER_ASSETS="$(pintle cluster assets)" go test ./...'],
  async run(_, io) {
    io.out(`${assetsFolder()}\n`);
  },
};
