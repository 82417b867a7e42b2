import { type ApiCase, type CaseContext, requestCases, widget } from "../../case.ts";

/** Collections: selectors and deleteCollection. */
export function collections({ configMaps, widgets, namespace, runId }: CaseContext): readonly ApiCase[] {
  const here = `/api/v1/namespaces/${namespace}`;
  const names = (body: any) => body.items?.map((item: any) => item.metadata.name) ?? body;
  const labelQuery = (selector: string) => `labelSelector=${encodeURIComponent(selector)}`;
  const fieldQuery = (selector: string) => `fieldSelector=${encodeURIComponent(selector)}`;
  const selectionCase = (title: string, path: string): ApiCase => [
    title,
    async (target) => {
      const { status, body } = await target.send("GET", path);
      return [status, names(body)];
    },
  ];
  const labels = [
    "n=1",
    "n==1",
    "n!=1",
    "n in (1,2)",
    "n notin (1,2)",
    "n",
    "!n",
    "n>3",
    "n<2",
    "n=1,even=false",
    "n in (1),even",
    "n=",
    "n in ()",
  ];
  const badLabels = ["n=1=2", "=1", "n in 1", "n notin", "n>x", ",", "a/b/c=d", `n=${"x".repeat(64)}`];
  const podFields = [
    "spec.nodeName=n1",
    "spec.restartPolicy=Always",
    "status.phase=Pending",
    "spec.serviceAccountName=",
    "spec.hostNetwork=false",
    "status.podIP=",
  ];
  return [
    [
      "C6 a dozen of each",
      async (target) => {
        for (let n = 0; n < 12; n++) {
          const metadata = { name: `m${String(n).padStart(2, "0")}`, labels: { n: String(n), even: String(n % 2 === 0) } };
          await target.send("POST", configMaps, { metadata });
          await target.send("POST", widgets, widget(metadata.name, { metadata }));
        }
        await target.send("POST", `${here}/pods`, {
          metadata: { name: "m" },
          spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
        });
        await target.send("POST", `${here}/secrets`, { metadata: { name: "m" }, type: "example.com/x" });
        return names((await target.send("GET", `${configMaps}?${labelQuery("n,even")}`)).body);
      },
    ],
    ...labels.map((text) =>
      selectionCase(`D7 config maps with ${text}`, `${configMaps}?${labelQuery(text)}&${fieldQuery("metadata.name!=zz")}`),
    ),
    ...badLabels.map(
      (text): ApiCase => [
        `D7 labels that cannot be: ${text.slice(0, 20)}`,
        (target) => target.send("GET", `${configMaps}?${labelQuery(text)}`),
      ],
    ),
    ...podFields.map((text) => selectionCase(`D7 pods with ${text}`, `${here}/pods?${fieldQuery(text)}`)),
    selectionCase("D7 secrets by type", `${here}/secrets?${fieldQuery("type=example.com/x")}`),
    selectionCase("D7 namespaces by phase", `/api/v1/namespaces?${fieldQuery(`status.phase=Active,metadata.name=${namespace}`)}`),
    selectionCase("D7 nodes by what they take", `/api/v1/nodes?${fieldQuery("spec.unschedulable=false")}`),
    selectionCase("D7 widgets by name", `${widgets}?${fieldQuery("metadata.name=m01")}`),
    selectionCase("D7 widgets by not their name", `${widgets}?${fieldQuery("metadata.name!=m01")}&${labelQuery("n in (1,2)")}`),
    selectionCase(
      "D7 across namespaces",
      `/apis/example.com/v1/widgets?${fieldQuery(`metadata.namespace=${namespace}`)}&${labelQuery("n=3")}`,
    ),
    ...requestCases(
      ["D7 a field that pods do not have", "GET", `${here}/pods?${fieldQuery("spec.foo=x")}`],
      ["D7 a field that a watch cannot choose", "GET", `${configMaps}?watch=1&${fieldQuery("foo=b")}`],
      ["D7 labels that a watch cannot choose", "GET", `${configMaps}?watch=1&${labelQuery("a b")}`],
      [
        "D7 a name in the path and another in a field",
        "GET",
        `/api/v1/watch/namespaces/${namespace}/configmaps/m00?${fieldQuery("metadata.name=m01")}`,
      ],
      ["C6 none of them", "DELETE", `${configMaps}?${labelQuery("n=99")}`],
      ["C6 one of them by name", "DELETE", `${configMaps}?${fieldQuery("metadata.name=m00")}`],
      ["C6 two of them", "DELETE", `${configMaps}?${labelQuery("n in (1,2)")}`],
      ["C6 with a policy", "DELETE", `${configMaps}?${labelQuery("n=3")}`, { propagationPolicy: "Background" }],
      ["C6 C4 with a policy that holds", "DELETE", `${widgets}?${labelQuery("n=3")}`, { propagationPolicy: "Foreground" }],
      ["C6 with a policy that is none", "DELETE", `${configMaps}?${labelQuery("n=4")}`, { propagationPolicy: "Foo" }],
      ["C6 C3 with a precondition", "DELETE", `${configMaps}?${labelQuery("n=4")}`, { preconditions: { uid: "zz" } }],
      ["C6 E4 in a dry run", "DELETE", `${configMaps}?${labelQuery("n=5")}&dryRun=All`],
      ["C6 D7 with a selector that is none", "DELETE", `${configMaps}?${labelQuery("a b")}`],
      ["C6 D7 with a field that is none", "DELETE", `${configMaps}?${fieldQuery("foo=b")}`],
      ["C6 with a body that is none", "DELETE", `${configMaps}?${labelQuery("n=5")}`, "{x"],
      ["C6 a page of them", "DELETE", `${widgets}?limit=2&${labelQuery("n in (5,6,7)")}`],
      ["C6 widgets of all namespaces that are not there", "DELETE", `/apis/example.com/v1/widgets?${labelQuery("n=99")}`],
      ["C6 what cannot be deleted so", "DELETE", `${here}/services/x/status`],
    ),
    selectionCase("C6 what is left", `${configMaps}?${labelQuery("n,even")}`),
    selectionCase("C6 what is left of the widgets", `${widgets}?${labelQuery("n,even")}`),
    [
      "C6 C1 what is held stays",
      async (target) => {
        await target.send("POST", widgets, widget("held-in-all", { metadata: { labels: { all: runId }, finalizers: ["example.com/x"] } }));
        const first = await target.send("DELETE", `${widgets}?${labelQuery(`all=${runId}`)}`);
        return [first, await target.send("GET", `${widgets}/held-in-all`)];
      },
    ],
  ];
}
