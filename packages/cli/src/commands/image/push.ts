import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError } from "../../command/index.ts";
import { loadImage, openLayout, openRepository, parseImageReference, pushImage as send } from "../../image/index.ts";
import { findProject } from "../../project/index.ts";
import { formatBytes, IMAGE_LAYOUT_FOLDER } from "./build.ts";

export const push: Command = {
  name: "push",
  summary: "Push the most recently built image to a registry.",
  usage: "[IMAGE] [--insecure-registry]",
  options: { "insecure-registry": { type: "boolean" } },
  optionDescriptions: { "insecure-registry": "use plain HTTP for the registry" },
  examples: ["pintle push ghcr.io/me/shop:1.0.0", "pintle push localhost:5000/shop:dev --insecure-registry"],
  maxPositionals: 1,
  async run({ values, positionals }, io) {
    const project = await findProject(io.cwd);
    const name = positionals[0] ?? project.image;
    const at = parseImageReference(name);
    const folder = path.join(project.root, IMAGE_LAYOUT_FOLDER);
    if (!existsSync(path.join(folder, "index.json"))) throw new CommandError("PINTLE7082", "no image found: run 'pintle build' first");
    const image = await loadImage(openLayout(folder), at.reference);
    const { sent } = await send(
      openRepository(at, { insecure: values["insecure-registry"] === true, signal: io.signal }),
      image,
      at.reference,
    );
    io.out(`${name}  ${image.root.digest}\n  pushed, ${formatBytes(sent)} sent\n`);
  },
};
