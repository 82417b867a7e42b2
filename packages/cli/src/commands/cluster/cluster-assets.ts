import { getAssetsFolder } from "@pintle/cluster/dropin";
import type { Command } from "../../command/index.ts";

export const clusterAssets: Command = {
  name: "cluster assets",
  summary: "Print the path to use as KUBEBUILDER_ASSETS, so that envtest suites run on the embedded API server.",
  usage: "",
  options: {},
  optionDescriptions: {},
  examples: ["pintle cluster assets", 'KUBEBUILDER_ASSETS="$(pintle cluster assets)" go test ./...'],
  async run(_, io) {
    io.out(`${getAssetsFolder()}\n`);
  },
};
