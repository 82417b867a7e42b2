import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError } from "../command.ts";
import { layoutImages, loadImage, parseReference, repository, push as send } from "../image/index.ts";
import { findProject } from "../project/index.ts";
import { bytes, LAYOUT } from "./build.ts";

export const push: Command = {
  name: "push",
  summary: "Send the image that was built last to a registry.",
  usage: "[IMAGE] [--insecure-registry]",
  options: { "insecure-registry": { type: "boolean" } },
  about: { "insecure-registry": "the registry speaks plain HTTP" },
  examples: ["pintle push ghcr.io/me/shop:1.0.0", "pintle push localhost:5000/shop:dev --insecure-registry"],
  words: 1,
  async run({ values, positionals }, io) {
    const project = await findProject(io.cwd);
    const name = positionals[0] ?? project.image;
    const at = parseReference(name);
    const folder = path.join(project.root, LAYOUT);
    if (!existsSync(path.join(folder, "index.json"))) throw new CommandError("pintle push: there is no image yet: run pintle build first");
    const image = await loadImage(layoutImages(folder), at.reference);
    const { sent } = await send(repository(at, { insecure: values["insecure-registry"] === true, signal: io.signal }), image, at.reference);
    io.out(`${name}  ${image.root.digest}\n  pushed, ${bytes(sent)} sent\n`);
  },
};
