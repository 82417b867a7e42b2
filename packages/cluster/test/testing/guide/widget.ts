import { controller, defineResource, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";

export const Widget = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int32() }),
  status: z.object({ ready: z.int32() }),
});

/** The widget of an operator that has an older version. */
export const VersionedWidget = Widget.older({
  version: "v1alpha1",
  spec: z.object({ count: z.int32() }),
  toHub: ({ spec }) => ({ spec: { size: spec.count } }),
  fromHub: ({ spec }) => ({ spec: { count: spec.size } }),
});

export const widgets = controller(Widget, {
  owns: [Deployment],
  reconcile({ object, owned, want }) {
    const { name } = object.metadata;
    const labels = { widget: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "a" }] } };
    const spec = { replicas: object.spec.size, selector: { matchLabels: labels }, template };
    const status = { ready: owned(Deployment).get(name)?.status.readyReplicas ?? 0 };
    return want({ children: { deployment: Deployment.desired({ metadata: { name }, spec }) }, status });
  },
});
