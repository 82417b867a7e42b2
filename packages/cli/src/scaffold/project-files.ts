import { type Api, apiFileName, renderApiFiles } from "./api-files.ts";
import { renderEntryFile } from "./entry-file.ts";

/** Input of a new project. */
export interface NewProject {
  /** Folder and package name: "shop". */
  readonly name: string;
  /** Domain of its API groups: "shop.example.com". */
  readonly domain: string;
  /** Version of pintle that the project depends on. */
  readonly pintleVersion: string;
  /** The first resource. Default: none. */
  readonly api?: Api | undefined;
}

/** Renders all files of a new project, keyed by path. None of them is regenerated later: they belong to the user. */
export function renderProjectFiles(project: NewProject): ReadonlyMap<string, string> {
  return new Map([
    ["package.json", renderPackageJson(project)],
    ["tsconfig.json", TSCONFIG],
    ["pintle.config.ts", renderConfig(project)],
    [".gitignore", `${GITIGNORE_ENTRIES.join("\n")}\n`],
    [".github/workflows/ci.yml", WORKFLOW],
    ["README.md", renderReadme(project)],
    ["AGENTS.md", AGENTS_MD],
    ["src/main.ts", renderEntryFile(project.api)],
    ...(project.api === undefined ? [["test/cluster.test.ts", CLUSTER_TEST] as const] : renderApiFiles(project.api)),
  ]);
}

export const PACKAGE_SCRIPTS = { dev: "pintle dev", start: "pintle run", test: "vitest run", check: "tsc", generate: "pintle generate" };
/** Manifests in dist/ are committed, so that `generate --check` can compare them; images are not. */
export const GITIGNORE_ENTRIES = ["node_modules/", "dist/image/", ".pintle/"];
export const listProjectDependencies = (pintle: string) => ({
  dependencies: { pintle: `^${pintle}` },
  devDependencies: {
    "@pintle/cli": `^${pintle}`,
    "@pintle/cluster": `^${pintle}`,
    "@types/node": "^20.19.0",
    typescript: "^7.0.2",
    vitest: "^4.1.12",
  },
});

function renderPackageJson({ name, pintleVersion }: NewProject): string {
  const manifest = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: PACKAGE_SCRIPTS,
    ...listProjectDependencies(pintleVersion),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noUncheckedIndexedAccess": true,
    "allowImportingTsExtensions": true,
    "noEmit": true,
    "skipLibCheck": true,
    "types": ["node"]
  },
  "include": ["src", "test", "pintle.config.ts"]
}
`;

/** The test of a project without a resource, so that `npm test` passes and shows where to continue. */
const CLUSTER_TEST = `import { clusterTest } from "@pintle/cluster/vitest";
import { Namespace } from "pintle/kinds/core/v1";
import { expect } from "vitest";

const onCluster = clusterTest();

onCluster("the embedded cluster serves requests", async ({ client }) => {
  expect(await client.get(Namespace, { name: "default" })).toMatchObject({ status: { phase: "Active" } });
});
`;

function renderConfig({ domain }: NewProject): string {
  return `import type { Config } from "@pintle/cli";

/** Settings of the generated manifests that do not follow from the code. */
export default {
  domain: "${domain}",
} satisfies Config;
`;
}

const WORKFLOW = `name: ci
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - run: npm run check
      - run: npm test
`;

function renderReadme({ name, api }: NewProject): string {
  const source = api === undefined ? "" : `- \`src/${apiFileName(api)}.ts\`: the custom resource and its controller\n`;
  return `# ${name}

A Kubernetes operator${api === undefined ? "" : ` for ${api.kind}`}, built with Pintle.

## Development

- \`npm run dev\` runs the operator on an embedded cluster and restarts it after every change; press \`s\` to apply the samples
- \`npm test\` runs the tests, simulated and on an embedded cluster
- \`npm run generate\` writes CRDs, RBAC and the Deployment to \`config/\` and \`dist/install.yaml\`
- \`npx pintle create api --kind Another\` adds a custom resource
- \`npx pintle deploy --image IMAGE\` deploys the operator to the cluster of your kubeconfig

## Layout

${source}- \`src/main.ts\`: the entry point, which runs all controllers
- \`test/\`: the tests
- \`config/samples/\`: example objects
- \`pintle.config.ts\`: settings of the generated manifests
`;
}

const AGENTS_MD = `# Working on this operator

- \`src/<kind>.ts\` defines a custom resource (\`defineResource\`, a Zod schema) and its controller (\`controller\`). \`reconcile\` returns the
  desired state (\`want({ children, status, conditions })\`); the library applies and prunes the children and updates the status. It must be
  idempotent.
- Kinds of children must be listed in \`owns\`, all other access of the client in \`needs\`. RBAC is derived from both.
- \`config/crd\`, \`config/rbac\`, \`config/manager\`, \`config/default\` and \`dist/\` are generated by \`npx pintle generate\`. Do not edit them;
  change the code or \`pintle.config.ts\`.
- Before you finish, run \`npm run check && npm test && npx pintle generate\`.
`;
