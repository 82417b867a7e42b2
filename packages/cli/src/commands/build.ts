import path from "node:path";
import type { Command } from "../command.ts";
import { bases, dockerfile, image, parseReference, platformText, program, push, repository, writeLayout } from "../image/index.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { progress } from "../progress.ts";
import { findProject } from "../project/index.ts";

export const LAYOUT = "dist/image";

export const build: Command = {
  name: "build",
  summary: "Build the operator's image, without Docker.",
  usage: "[IMAGE] [--base BASE] [--platform P[,P]] [--push] [--insecure-registry] [--output json|yaml] | --dockerfile",
  options: {
    base: { type: "string" },
    platform: { type: "string" },
    push: { type: "boolean" },
    dockerfile: { type: "boolean" },
    "insecure-registry": { type: "boolean" },
    ...OUTPUT_OPTION,
  },
  about: {
    base: "an image in a registry, a folder with an OCI layout, or one with a system's files (default: this machine's own Node)",
    platform: "only these of the base's platforms, such as linux/amd64,linux/arm64 (default: all of them)",
    dockerfile: "build nothing: print a Dockerfile for those who want one",
    push: "send it to the registry that IMAGE names",
    "insecure-registry": "the registry speaks plain HTTP",
    ...OUTPUT_ABOUT,
  },
  examples: [
    "pintle build",
    "pintle build ghcr.io/me/shop:1.0.0 --base docker.io/library/node:22-slim --push",
    "pintle build --base rootfs:./debian-with-node",
    "pintle build --dockerfile > Dockerfile",
    "pintle build localhost:5000/shop:dev --push --insecure-registry",
  ],
  words: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputOf("build", args);
    const project = await findProject(io.cwd);
    if (values["dockerfile"] === true) return io.out(dockerfile(project));
    const name = positionals[0] ?? project.image;
    const at = parseReference(name);
    const insecure = values["insecure-registry"] === true;
    const began = performance.now();
    const choice = bases({
      base: values["base"] as string | undefined,
      platforms: String(values["platform"] ?? "")
        .split(",")
        .filter(Boolean),
      insecure,
      cwd: io.cwd,
      signal: io.signal,
    });
    const on = await progress(io, "fetching the base", choice);
    const code = await progress(io, `bundling ${project.entry}`, program(project));
    const built = image(code, on, project);
    await writeLayout(path.join(project.root, LAYOUT), built, at.reference);
    const size = (entries: typeof code.code) => entries.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    const facts = {
      image: name,
      digest: built.root.digest,
      platforms: on.map(({ platform }) => platformText(platform)),
      base: on.flatMap(({ layers }) => layers).reduce((sum, layer) => sum + layer.size, 0),
      dependencies: size(code.dependencies),
      code: size(code.code),
      layout: LAYOUT,
    };
    const sent =
      values["push"] === true
        ? (await progress(io, `pushing ${name}`, push(repository(at, { insecure, signal: io.signal }), built, at.reference))).sent
        : undefined;
    if (output !== undefined) return io.out(output({ ...facts, ...(sent === undefined ? {} : { sent }) }));
    const took = ((performance.now() - began) / 1000).toFixed(1);
    io.out(
      `${name}  ${facts.digest}\n  ${facts.platforms.join(", ")}: base ${bytes(facts.base)}, dependencies ${bytes(facts.dependencies)}, code ${bytes(facts.code)}, ${took} s\n`,
    );
    io.out(sent === undefined ? `  in ${LAYOUT}; send it with: pintle push ${name}\n` : `  pushed, ${bytes(sent)} sent\n`);
  },
};

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${Math.round(count / 1000)} KB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
