/** The answers a new project is made from. */
export interface Project {
  /** Folder and package name: "shop". */
  readonly name: string;
  /** Domain of the API group: "shop.example.com". */
  readonly domain: string;
  /** First resource: "Storefront". */
  readonly kind: string;
  /** Version of pintle the project asks for. */
  readonly pintle: string;
}

/** Every file of a new project, by path. Nothing in it is generated code: all of it belongs to the user. */
export function projectFiles(project: Project): ReadonlyMap<string, string> {
  const file = project.kind.toLowerCase();
  return new Map([
    ["package.json", packageJson(project)],
    ["tsconfig.json", TSCONFIG],
    [".gitignore", "node_modules/\ndist/\n.pintle/\n"],
    ["README.md", readme(project)],
    [`src/${file}.ts`, resource(project)],
    [
      "src/main.ts",
      `import { run } from "pintle";\nimport { ${variable(project)} } from "./${file}.ts";\n\nawait run({ controllers: [${variable(project)}] });\n`,
    ],
    [`test/${file}.test.ts`, test(project)],
    [`config/samples/${file}.yaml`, sample(project)],
  ]);
}

const variable = ({ kind }: Project) => kind[0]?.toLowerCase() + kind.slice(1);

function packageJson({ name, pintle }: Project): string {
  const manifest = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: { start: "tsx src/main.ts", test: "vitest run", check: "tsc" },
    dependencies: { pintle: `^${pintle}` },
    devDependencies: {
      "@pintle/cli": `^${pintle}`,
      "@pintle/cluster": `^${pintle}`,
      "@types/node": "^20.19.0",
      tsx: "^4.23.15",
      typescript: "^7.0.2",
      vitest: "^4.1.12",
    },
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
  "include": ["src", "test"]
}
`;

function resource({ domain, kind }: Project): string {
  const name = variable({ kind } as Project);
  return `import { controller, defineResource, type ReadOf, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";

export const ${kind} = defineResource({
  group: "${domain}",
  version: "v1alpha1",
  kind: "${kind}",
  spec: z.object({ greeting: z.string().default("hello").describe("What the ConfigMap says.") }),
  status: z.object({ greeted: z.string() }),
  conditions: ["Ready"],
  columns: [{ name: "Greeting", path: ".spec.greeting" }],
});
export interface ${kind} extends ReadOf<typeof ${kind}> {}

/** Returns what should be; the controller makes it so. */
export const ${name} = controller(${kind}, {
  owns: [ConfigMap],
  reconcile({ object, owned, want }) {
    const { name } = object.metadata;
    const there = owned(ConfigMap).get(name) !== undefined;
    return want({
      children: { config: ConfigMap.desired({ metadata: { name }, data: { greeting: object.spec.greeting } }) },
      status: { greeted: object.spec.greeting },
      conditions: { Ready: { status: there, reason: there ? "ConfigMapThere" : "ConfigMapMissing" } },
    });
  },
});
`;
}

function test({ kind, domain }: Project): string {
  const name = variable({ kind } as Project);
  return `import { startCluster } from "@pintle/cluster";
import { silent, start } from "pintle";
import { clientOver } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { ${kind}, ${name} } from "../src/${kind.toLowerCase()}.ts";

test("a ${kind} of ${domain} gets its ConfigMap", async () => {
  const cluster = await startCluster();
  const client = clientOver(cluster.transport);
  await client.create(CustomResourceDefinition, ${kind}.crd());
  const operator = start({ controllers: [${name}], client, logger: silent });
  try {
    await operator.ready;
    const ref = { name: "demo", namespace: "default" };
    await client.apply(${kind}, { metadata: ref, spec: { greeting: "hi" } });
    await client.wait(${kind}, ref, (object) => object.status?.greeted === "hi", { timeout: 5000 });
    expect((await client.get(ConfigMap, ref)).data).toEqual({ greeting: "hi" });
  } finally {
    await operator.stop();
    await cluster.stop();
  }
});
`;
}

function sample({ domain, kind }: Project): string {
  return `apiVersion: ${domain}/v1alpha1
kind: ${kind}
metadata:
  name: demo
spec:
  greeting: hello
`;
}

function readme({ name, kind }: Project): string {
  const file = kind.toLowerCase();
  return `# ${name}

A Kubernetes operator for ${kind}, made with Pintle.

- \`src/${file}.ts\`: the resource and its controller
- \`src/main.ts\`: what runs
- \`test/${file}.test.ts\`: the operator on an embedded cluster; \`npm test\`
- \`config/samples/${file}.yaml\`: one to try

\`npx pintle cluster up\` starts an embedded cluster and prints its kubeconfig; \`KUBECONFIG=.pintle/kubeconfig npm start\` runs the operator
against it, or against any cluster that your kubeconfig names.
`;
}
