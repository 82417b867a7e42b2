import { type Api, apiFiles, fileOf } from "./api.ts";
import { mainFile } from "./main-file.ts";

/** The answers a new project is made from. */
export interface NewProject {
  /** Folder and package name: "shop". */
  readonly name: string;
  /** Domain of its API groups: "shop.example.com". */
  readonly domain: string;
  /** Version of pintle the project asks for. */
  readonly pintle: string;
  /** The first resource, if there is one yet. */
  readonly api?: Api | undefined;
}

/** Every file of a new project, by path. Nothing in it is generated code: all of it belongs to the user. */
export function projectFiles(project: NewProject): ReadonlyMap<string, string> {
  return new Map([
    ["package.json", packageJson(project)],
    ["tsconfig.json", TSCONFIG],
    ["pintle.config.ts", config(project)],
    [".gitignore", `${IGNORED.join("\n")}\n`],
    [".github/workflows/ci.yml", WORKFLOW],
    ["README.md", readme(project)],
    ["AGENTS.md", AGENTS],
    ["src/main.ts", mainFile(project.api)],
    ...(project.api === undefined ? [] : apiFiles(project.api)),
  ]);
}

export const SCRIPTS = { dev: "pintle dev", start: "pintle run", test: "vitest run", check: "tsc", generate: "pintle generate" };
/** What is generated into dist/ is worth keeping: `generate --check` looks at it. Images are not. */
export const IGNORED = ["node_modules/", "dist/image/", ".pintle/"];
export const DEPENDENCIES = (pintle: string) => ({
  dependencies: { pintle: `^${pintle}` },
  devDependencies: {
    "@pintle/cli": `^${pintle}`,
    "@pintle/cluster": `^${pintle}`,
    "@types/node": "^20.19.0",
    typescript: "^7.0.2",
    vitest: "^4.1.12",
  },
});

function packageJson({ name, pintle }: NewProject): string {
  const manifest = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: SCRIPTS,
    ...DEPENDENCIES(pintle),
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

function config({ domain }: NewProject): string {
  return `import type { Config } from "@pintle/cli";

/** What the manifests say that the code does not. */
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
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - run: npm run check
      - run: npm test
`;

function readme({ name, api }: NewProject): string {
  const source = api === undefined ? "" : `\`src/${fileOf(api)}.ts\` the resource and its controller, `;
  return `# ${name}

A Kubernetes operator${api === undefined ? "" : ` for ${api.kind}`}, made with Pintle.

- \`npm run dev\`: an embedded cluster with this operator on it, started again after every change; \`s\` applies the samples
- \`npm test\`: the operator without a server, and on an embedded cluster
- \`npm run generate\`: CRDs, RBAC and the Deployment into \`config/\`, all of it also in \`dist/install.yaml\`
- \`npx pintle deploy --image IMAGE\`: into the cluster of your kubeconfig

What is where: ${source}\`src/main.ts\` what runs, \`test/\` tests, \`config/samples/\` objects to
try, \`pintle.config.ts\` what manifests say. \`npx pintle create api --kind Another\` adds a resource.
`;
}

const AGENTS = `# Working on this operator

- \`src/<kind>.ts\` holds a resource (\`defineResource\`, a Zod schema) and its controller (\`controller\`). \`reconcile\` returns what should be
  (\`want({ children, status, conditions })\`); the library applies, prunes and reports. It must not depend on how often it runs.
- A child's kind must be in \`owns\`; whatever else the client touches must be in \`needs\`. RBAC is derived from both.
- \`config/crd\`, \`config/rbac\`, \`config/manager\`, \`config/default\` and \`dist/\` are written by \`npx pintle generate\`: do not edit them; change
  the code or \`pintle.config.ts\`.
- Before you are done: \`npm run check && npm test && npx pintle generate\`.
`;
