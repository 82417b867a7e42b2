import type { Deployment } from "pintle/kinds/apps/v1";

/** The names of upstream's Deployments. */
export const UPSTREAM_DEPLOYMENTS: readonly string[] = ["catalogd-controller-manager", "operator-controller-controller-manager"];
/** The annotation of a Deployment of upstream that was stopped, with the replicas that it had. */
export const REPLICAS_ANNOTATION = "lifecycle.pintle.dev/replicas";

const CERTIFICATE_FOLDER = "/var/certs";

/** The Secret with upstream's certificate, which the webhook configuration trusts already; undefined if catalogd mounts none. */
export function findUpstreamCertificate(deployments: readonly Pick<Deployment, "metadata" | "spec">[]): string | undefined {
  const catalogd = deployments.find(({ metadata }) => metadata.name === "catalogd-controller-manager");
  const pod = catalogd?.spec.template.spec;
  const mount = pod?.containers.flatMap(({ volumeMounts = [] }) => volumeMounts).find(({ mountPath }) => mountPath === CERTIFICATE_FOLDER);
  return pod?.volumes?.find(({ name }) => name === mount?.name)?.secret?.secretName;
}
