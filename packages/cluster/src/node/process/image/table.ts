import { reference } from "./reference.ts";

/**
 * What an image stands for on this machine. In every text, `$(POD_IP)` is the pod's address and `$(FILES)` the folder
 * of `files`.
 */
export interface ImageEntry {
  /**
   * What runs where the pod names no command, as an image's entrypoint; the first word is found as a shell would. One that
   * is a single program gives way to arguments that name another one, as the scripts do that many images begin with.
   */
  readonly command?: readonly string[] | undefined;
  /** What follows it where the pod gives no arguments. */
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly workingDir?: string | undefined;
  /** Programs the image would bring, by the name its users call them, and where they are here. */
  readonly programs?: Readonly<Record<string, string>> | undefined;
  /** Texts the program wants to find, by file name. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** "uid" or "uid:gid" where the pod names none and the node may choose. */
  readonly user?: string | undefined;
  /** What is different where a pod has nothing but a loopback address of its own. */
  readonly loopback?: LoopbackRules | undefined;
  /** A folder with an OCI layout whose image is unpacked and run; everything else here is then only added to it. */
  readonly layout?: string | undefined;
}

export interface LoopbackRules {
  /** Arguments added at the end, unless one of those given begins with a text of `unless`. */
  readonly append?: readonly string[] | undefined;
  readonly unless?: readonly string[] | undefined;
  /** Instead of the command and arguments above, where the pod gives none. */
  readonly args?: readonly string[] | undefined;
}

/** Entries by image name: "memcached", "quay.io/coreos/etcd", "example.com/app:v2". */
export type ImageTable = Readonly<Record<string, ImageEntry>>;

const etcd: ImageEntry = {
  command: ["etcd"],
  programs: { etcd: "etcd", etcdctl: "etcdctl", etcdutl: "etcdutl" },
  loopback: {
    append: ["--listen-client-urls", "http://$(POD_IP):2379", "--advertise-client-urls", "http://$(POD_IP):2379"],
    unless: ["--listen-client-urls"],
  },
};
const redis: ImageEntry = {
  command: ["redis-server"],
  args: ["--protected-mode", "no"],
  programs: { "redis-server": "redis-server", "redis-cli": "redis-cli" },
  loopback: { append: ["--bind", "$(POD_IP)"], unless: ["--bind"] },
};
const shell: ImageEntry = { args: ["sh"] };

const NGINX_LOOPBACK = `daemon off;
pid $(FILES)/nginx.pid;
error_log stderr;
events {}
http {
  access_log /dev/stdout;
  client_body_temp_path $(FILES)/body;
  proxy_temp_path $(FILES)/proxy;
  fastcgi_temp_path $(FILES)/fastcgi;
  uwsgi_temp_path $(FILES)/uwsgi;
  scgi_temp_path $(FILES)/scgi;
  server {
    listen $(POD_IP):8080;
    location / { return 200 "pintle"; }
  }
}
`;

/** The images every process node knows, provided their programs are installed. */
export const IMAGES: ImageTable = {
  memcached: {
    command: ["memcached"],
    programs: { memcached: "memcached" },
    user: "65534:65534",
    loopback: { append: ["-l", "$(POD_IP)"], unless: ["-l", "--listen"] },
  },
  "quay.io/coreos/etcd": etcd,
  "gcr.io/etcd-development/etcd": etcd,
  "registry.k8s.io/etcd": etcd,
  "bitnami/etcd": etcd,
  redis,
  "valkey/valkey": redis,
  nginx: {
    command: ["nginx"],
    args: ["-g", "daemon off; error_log stderr;"],
    programs: { nginx: "nginx" },
    files: { "nginx.conf": NGINX_LOOPBACK },
    loopback: { args: ["-e", "stderr", "-c", "$(FILES)/nginx.conf"] },
  },
  node: { command: ["node"], programs: { node: process.execPath } },
  busybox: shell,
  alpine: shell,
  debian: shell,
  ubuntu: shell,
  "registry.k8s.io/pause": { command: ["sleep", "infinity"] },
};

/** The entry of an image: of its exact name and tag before that of all its tags. */
export function entryOf(table: ImageTable, image: string): ImageEntry | undefined {
  const { name, tag } = reference(image);
  const tagged = Object.keys(table).find((key) => key.includes(":", key.lastIndexOf("/") + 1) && isSame(key, name, tag));
  const plain = tagged ?? Object.keys(table).find((key) => !key.includes(":", key.lastIndexOf("/") + 1) && reference(key).name === name);
  return plain === undefined ? undefined : table[plain];
}

function isSame(key: string, name: string, tag: string): boolean {
  const own = reference(key);
  return own.name === name && own.tag === tag;
}
