import type { IssueCertificatesOptions, ServingCertificates } from "./certificates/issue-certificates.ts";
import { metricsNames, serviceHosts } from "./configuration/webhook-names.ts";

/** Certificates that the operator issues itself and keeps in a Secret. */
export interface IssuedCertificates {
  /** The prefix of the names of the Service and the Secret. */
  readonly issued: string;
  /** The namespace of both. */
  readonly namespace: string;
  /** Further DNS names and IP addresses in the certificate. Default: those of the Service only. */
  readonly hosts?: readonly string[] | undefined;
}

/** Issues the certificates of the metrics endpoint as those of webhooks are issued. Nothing but the Secret refers to their authority. */
export async function issueMetricsCertificates(
  { issued, namespace, hosts = [] }: IssuedCertificates,
  options: Pick<IssueCertificatesOptions, "client" | "clock" | "random" | "log" | "onChange">,
): Promise<ServingCertificates> {
  const [{ issueCertificates }, { DEFAULT_LIFETIMES }] = await Promise.all([
    import("./certificates/issue-certificates.ts"),
    import("./certificates/certificate-set.ts"),
  ]);
  const { service, secret } = metricsNames(issued);
  return issueCertificates({
    ...options,
    purpose: "metrics",
    secret: { namespace, name: secret },
    // Clients that are configured before the namespace is known, such as those in a bundle of OLM, expect the name of the Service alone.
    names: [...serviceHosts(service, namespace), service, ...hosts],
    targets: { mutating: [], validating: [], definitions: [] },
    lifetimes: DEFAULT_LIFETIMES,
  });
}
