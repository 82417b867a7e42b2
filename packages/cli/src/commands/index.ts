/**
 * Every command of `pintle`, one file each, in the order of the help text. The sub-folders group them: `project/` writes source files and
 * manifests, `run/` runs the operator on this machine, `image/` builds images, `catalog/` works on catalogs of OLM, `operator/` installs
 * operators with OLM, `deploy/` and `crd/` work on a cluster, `cluster/` runs embedded clusters, `trace/` reads trace files.
 */
import type { Command } from "../command/index.ts";
import { catalogAdd } from "./catalog/catalog-add.ts";
import { catalogBuild } from "./catalog/catalog-build.ts";
import { catalogCheck } from "./catalog/catalog-check.ts";
import { catalogCopy } from "./catalog/catalog-copy.ts";
import { catalogGraph } from "./catalog/catalog-graph.ts";
import { catalogRender } from "./catalog/catalog-render.ts";
import { catalogSearch } from "./catalog/catalog-search.ts";
import { catalogServe } from "./catalog/catalog-serve.ts";
import { clusterAssets } from "./cluster/cluster-assets.ts";
import { clusterUp } from "./cluster/cluster-up.ts";
import { clusterDown, clusterKubeconfig, clusterReset, clusterSnapshot } from "./cluster/running-cluster.ts";
import { why } from "./cluster/why.ts";
import { createCompletionCommand } from "./completion.ts";
import { crdCheck } from "./crd/crd-check.ts";
import { deploy } from "./deploy/deploy.ts";
import { diff } from "./deploy/diff.ts";
import { install } from "./deploy/install.ts";
import { logs } from "./deploy/logs.ts";
import { migrate } from "./deploy/migrate.ts";
import { status } from "./deploy/status.ts";
import { undeploy } from "./deploy/undeploy.ts";
import { uninstall } from "./deploy/uninstall.ts";
import { doctor } from "./doctor.ts";
import { build } from "./image/build.ts";
import { bundle } from "./image/bundle.ts";
import { push } from "./image/push.ts";
import { scorecard } from "./image/scorecard.ts";
import { sign } from "./image/sign.ts";
import { verify } from "./image/verify.ts";
import { operatorApprove } from "./operator/operator-approve.ts";
import { operatorHistory } from "./operator/operator-history.ts";
import { operatorImport } from "./operator/operator-import.ts";
import { operatorInstall } from "./operator/operator-install.ts";
import { operatorList } from "./operator/operator-list.ts";
import { operatorPlan } from "./operator/operator-plan.ts";
import { operatorRollback } from "./operator/operator-rollback.ts";
import { operatorSearch } from "./operator/operator-search.ts";
import { operatorSetup } from "./operator/operator-setup.ts";
import { operatorShow } from "./operator/operator-show.ts";
import { operatorUninstall } from "./operator/operator-uninstall.ts";
import { operatorUpgrade } from "./operator/operator-upgrade.ts";
import { operatorWhy } from "./operator/operator-why.ts";
import { createApi } from "./project/create-api.ts";
import { createController } from "./project/create-controller.ts";
import { createWebhook } from "./project/create-webhook.ts";
import { deleteApi } from "./project/delete-api.ts";
import { explain } from "./project/explain.ts";
import { generate } from "./project/generate.ts";
import { init } from "./project/init.ts";
import { upgrade } from "./project/upgrade.ts";
import { consoleCommand } from "./run/console.ts";
import { dev } from "./run/dev.ts";
import { run } from "./run/run.ts";
import { record } from "./trace/record.ts";
import { replay } from "./trace/replay.ts";
import { traceCheck } from "./trace/trace-check.ts";
import { traceDiff } from "./trace/trace-diff.ts";
import { traceOpen } from "./trace/trace-open.ts";
import { traceShow } from "./trace/trace-show.ts";
import { version } from "./version.ts";

export const COMMANDS: readonly Command[] = [
  init,
  createApi,
  createController,
  createWebhook,
  deleteApi,
  dev,
  generate,
  run,
  install,
  uninstall,
  build,
  push,
  bundle,
  scorecard,
  sign,
  verify,
  catalogAdd,
  catalogCheck,
  catalogRender,
  catalogBuild,
  catalogServe,
  catalogGraph,
  catalogSearch,
  catalogCopy,
  operatorSetup,
  operatorSearch,
  operatorShow,
  operatorInstall,
  operatorPlan,
  operatorApprove,
  operatorUpgrade,
  operatorRollback,
  operatorList,
  operatorHistory,
  operatorWhy,
  operatorUninstall,
  operatorImport,
  diff,
  deploy,
  status,
  logs,
  crdCheck,
  migrate,
  undeploy,
  clusterUp,
  clusterAssets,
  clusterDown,
  clusterReset,
  clusterKubeconfig,
  clusterSnapshot,
  why,
  consoleCommand,
  record,
  traceOpen,
  traceShow,
  traceDiff,
  traceCheck,
  replay,
  doctor,
  explain,
  upgrade,
  createCompletionCommand(() => COMMANDS),
  version,
];
