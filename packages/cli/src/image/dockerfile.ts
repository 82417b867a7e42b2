import type { Project } from "../project/index.ts";

/** Returns a Dockerfile that builds the same bundled, non-root image with Docker. */
export function renderDockerfile({ entry, name, version }: Pick<Project, "entry" | "name" | "version">): string {
  return `# ${name}: docker build -t ${name}:${version} .
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npx esbuild ${entry} --bundle --platform=node --format=esm --target=node20.19 --packages=external --outfile=main.mjs
RUN npm prune --omit=dev

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json /app/main.mjs ./
COPY --from=build /app/node_modules node_modules
USER 65532:65532
ENTRYPOINT ["node", "/app/main.mjs"]
`;
}
