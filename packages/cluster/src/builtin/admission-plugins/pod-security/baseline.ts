import type { LifecycleHandler, Probe, SELinuxOptions } from "pintle/kinds/core/v1";
import type { Unvalidated } from "../../draft.ts";
import {
  type AnyContainer,
  formatNamed,
  formatSetters,
  hasUserNamespace,
  listContainers,
  namesOfContainers,
  type PodSecurityCheck,
  pluralize,
  quoteAll,
  sortUnique,
} from "./check.ts";

const APP_ARMOR_ANNOTATION_PREFIX = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD_ANNOTATION = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER_ANNOTATION_PREFIX = "container.seccomp.security.alpha.kubernetes.io/";
const ALLOWED_PROFILES = new Set(["RuntimeDefault", "Localhost"]);

export const checkAppArmorProfile: PodSecurityCheck = ({ metadata, spec }) => {
  const typeOf = ({ securityContext }: Pick<AnyContainer, "securityContext">) => securityContext?.appArmorProfile?.type;
  const isForbiddenType = (type: string | null | undefined) => type != null && !ALLOWED_PROFILES.has(type);
  const pod = spec.securityContext?.appArmorProfile?.type;
  const containers = listContainers(spec).filter((each) => isForbiddenType(typeOf(each)));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key, value]) =>
      key.startsWith(APP_ARMOR_ANNOTATION_PREFIX) && value && value !== "runtime/default" && !value.startsWith("localhost/"),
  );
  const values = [
    ...sortUnique([...(isForbiddenType(pod) ? [pod as string] : []), ...containers.map((each) => typeOf(each) as string)]),
    ...annotations.map(([key, value]) => `${key}=${JSON.stringify(value)}`).sort(),
  ];
  if (values.length === 0) return undefined;
  const names = containers.map(({ name }) => name ?? "");
  const who = [
    formatSetters(isForbiddenType(pod), names),
    annotations.length === 0 ? "" : pluralize("annotation", annotations.length),
  ].filter((each) => each !== "");
  return {
    reason: pluralize("forbidden AppArmor profile", values.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoteAll(values)}`,
  };
};

const DEFAULT_CAPABILITIES = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(" "),
);

export const checkCapabilities: PodSecurityCheck = ({ spec }) => {
  const listForbiddenCapabilities = ({ securityContext }: AnyContainer) =>
    (securityContext?.capabilities?.add ?? []).filter((each) => !DEFAULT_CAPABILITIES.has(each));
  const bad = namesOfContainers(spec, (each) => listForbiddenCapabilities(each).length > 0);
  if (bad.length === 0) return undefined;
  const all = sortUnique(listContainers(spec).flatMap(listForbiddenCapabilities));
  return {
    reason: "non-default capabilities",
    detail: `${formatNamed("container", bad)} must not include ${quoteAll(all)} in securityContext.capabilities.add`,
  };
};

export const checkHostNamespaces: PodSecurityCheck = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  return shared.length === 0 ? undefined : { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
};

export const checkHostPathVolumes: PodSecurityCheck = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name ?? "");
  return names.length === 0 ? undefined : { reason: "hostPath volumes", detail: formatNamed("volume", names) };
};

export const checkHostPorts: PodSecurityCheck = ({ spec }) => {
  const ports = ({ ports: all }: AnyContainer) => (all ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = namesOfContainers(spec, (each) => ports(each).length > 0);
  if (bad.length === 0) return undefined;
  const all = sortUnique(listContainers(spec).flatMap(ports));
  return {
    reason: "hostPort",
    detail: `${formatNamed("container", bad)} ${conjugateUse(bad)} ${pluralize("hostPort", all.length)} ${all.join(", ")}`,
  };
};

export const conjugateUse = (who: readonly string[]) => (who.length === 1 ? "uses" : "use");

export const checkHostProbes: PodSecurityCheck = ({ spec, version }) => {
  if (version < 34) return undefined;
  const hostsOf = (handler: Unvalidated<Probe> | Unvalidated<LifecycleHandler> | null | undefined) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host): host is string => !!host);
  const hosts = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer) =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsOf);
  const bad = sortUnique(namesOfContainers(spec, (each) => hosts(each).length > 0));
  if (bad.length === 0) return undefined;
  const all = sortUnique(listContainers(spec).flatMap(hosts));
  return {
    reason: "probe or lifecycle host",
    detail: `${formatNamed("container", bad)} ${conjugateUse(bad)} ${pluralize("probe or lifecycle host", all.length)} ${quoteAll(all)}`,
  };
};

export const checkPrivileged: PodSecurityCheck = ({ spec }) => {
  const bad = namesOfContainers(spec, ({ securityContext }) => securityContext?.privileged === true);
  return bad.length === 0
    ? undefined
    : { reason: "privileged", detail: `${formatNamed("container", bad)} must not set securityContext.privileged=true` };
};

export const checkProcMountForAll: PodSecurityCheck = ({ spec }) => {
  const typeOf = ({ securityContext }: AnyContainer) => securityContext?.procMount ?? "Default";
  const bad = namesOfContainers(spec, (each) => typeOf(each) !== "Default");
  if (bad.length === 0) return undefined;
  const types = sortUnique(listContainers(spec).map(typeOf)).filter((type) => type !== "Default");
  return { reason: "procMount", detail: `${formatNamed("container", bad)} must not set securityContext.procMount to ${quoteAll(types)}` };
};

export const checkProcMount: PodSecurityCheck = (subject) => (hasUserNamespace(subject) ? undefined : checkProcMountForAll(subject));

const SELINUX_TYPES = ["", "container_t", "container_init_t", "container_kvm_t"];

export const checkSeLinuxOptions: PodSecurityCheck = ({ spec, version }) => {
  const allowed = version >= 31 ? [...SELINUX_TYPES, "container_engine_t"] : SELINUX_TYPES;
  const isForbidden = (options: Unvalidated<SELinuxOptions> | null | undefined) =>
    options != null && (!allowed.includes(options.type ?? "") || !!options.user || !!options.role);
  const pod = spec.securityContext?.seLinuxOptions;
  const containers = listContainers(spec).filter(({ securityContext }) => isForbidden(securityContext?.seLinuxOptions));
  const wrong = [...(isForbidden(pod) ? [pod!] : []), ...containers.map(({ securityContext }) => securityContext!.seLinuxOptions!)];
  if (wrong.length === 0) return undefined;
  const types = sortUnique(wrong.map(({ type }) => type ?? "").filter((type) => !allowed.includes(type)));
  const data = [
    ...(types.length === 0 ? [] : [formatNamed("type", types)]),
    ...(wrong.some(({ user }) => user) ? ["user may not be set"] : []),
    ...(wrong.some(({ role }) => role) ? ["role may not be set"] : []),
  ];
  const who = formatSetters(
    isForbidden(pod),
    containers.map(({ name }) => name ?? ""),
  );
  return { reason: "seLinuxOptions", detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}` };
};

export const checkSeccompProfile: PodSecurityCheck = ({ metadata, spec, version }) => {
  if (version < 19) {
    const isAllowed = (value: string) => value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
    const keys = [SECCOMP_POD_ANNOTATION, ...listContainers(spec).map(({ name }) => `${SECCOMP_CONTAINER_ANNOTATION_PREFIX}${name}`)];
    const forbidden = sortUnique(
      keys.flatMap((key) => {
        const value = metadata.annotations?.[key];
        return value == null || isAllowed(value) ? [] : [`${key}=${JSON.stringify(value)}`];
      }),
    );
    return forbidden.length === 0
      ? undefined
      : { reason: "seccompProfile", detail: `forbidden ${pluralize("annotation", forbidden.length)} ${forbidden.join(", ")}` };
  }
  const typeOf = ({ securityContext }: Pick<AnyContainer, "securityContext">) => securityContext?.seccompProfile?.type;
  const isForbiddenType = (type: string | null | undefined) => type != null && !ALLOWED_PROFILES.has(type);
  const pod = spec.securityContext?.seccompProfile?.type;
  const containers = listContainers(spec).filter((each) => isForbiddenType(typeOf(each)));
  if (!isForbiddenType(pod) && containers.length === 0) return undefined;
  const values = sortUnique([...(isForbiddenType(pod) ? [pod as string] : []), ...containers.map((each) => typeOf(each) as string)]);
  const names = containers.map(({ name }) => name ?? "");
  return {
    reason: "seccompProfile",
    detail: `${formatSetters(isForbiddenType(pod), names)} must not set securityContext.seccompProfile.type to ${quoteAll(values)}`,
  };
};

/** Safe sysctls, by the minor version of the standards that added them. */
const SAFE_SYSCTLS: Readonly<Record<number, readonly string[]>> = {
  0: [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ],
  27: ["net.ipv4.ip_local_reserved_ports"],
  29: ["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"],
  32: ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
};

export const checkSysctls: PodSecurityCheck = ({ spec, version }) => {
  const allowed = Object.entries(SAFE_SYSCTLS).flatMap(([since, names]) => (Number(since) <= version ? names : []));
  const others = (spec.securityContext?.sysctls ?? []).map(({ name }) => name ?? "").filter((name) => !allowed.includes(name));
  return others.length === 0 ? undefined : { reason: "forbidden sysctls", detail: others.join(", ") };
};

export const checkWindowsHostProcess: PodSecurityCheck = ({ spec }) => {
  const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = namesOfContainers(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!pod && bad.length === 0) return undefined;
  return { reason: "hostProcess", detail: `${formatSetters(pod, bad)} must not set securityContext.windowsOptions.hostProcess=true` };
};
