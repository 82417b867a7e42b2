import { CONVERT_PATH, clientConfig, type Endpoint, webhookNames } from "pintle/webhook";
import type { Project } from "./find-project.ts";
import type { Operator } from "./operator.ts";

/** Where API servers find a deployed operator. */
export function serviceOf({ name, namespace }: Pick<Project, "name" | "namespace">): Endpoint {
  return { service: { namespace, name: webhookNames(name).service } };
}

/** The same operator, whose definitions say that their versions are converted there. */
export function placed(operator: Operator, endpoint: Endpoint, authority?: string): Operator {
  const resources = operator.resources.map((resource) => {
    const { crd } = resource;
    const { conversion } = crd.spec;
    if (conversion?.strategy !== "Webhook") return resource;
    const webhook = { ...conversion.webhook, clientConfig: clientConfig(endpoint, CONVERT_PATH, authority) as never };
    return { ...resource, crd: { ...crd, spec: { ...crd.spec, conversion: { ...conversion, webhook } } } };
  });
  return { ...operator, resources };
}
