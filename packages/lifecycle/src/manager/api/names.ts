/** Labels, annotations, finalizers and field managers of OLM v1. */

const PREFIX = "olm.operatorframework.io";

/** The label with the name of a catalog, by which extensions select it. */
export const METADATA_NAME_LABEL = `${PREFIX}/metadata.name`;
/** The label and, in `status`, the kind of the owner of an object. */
export const OWNER_KIND_LABEL = `${PREFIX}/owner-kind`;
/** The label with the name of the extension that an object belongs to. */
export const OWNER_NAME_LABEL = `${PREFIX}/owner-name`;
/** The annotation with the package of a bundle. */
export const PACKAGE_NAME = `${PREFIX}/package-name`;
/** The annotation with the name of a bundle. */
export const BUNDLE_NAME = `${PREFIX}/bundle-name`;
/** The annotation with the version of a bundle. */
export const BUNDLE_VERSION = `${PREFIX}/bundle-version`;
/** The annotation with the release of a bundle. */
export const BUNDLE_RELEASE = `${PREFIX}/bundle-release`;
/** The annotation with the image of a bundle. */
export const BUNDLE_REFERENCE = `${PREFIX}/bundle-reference`;
/** The label with the name of the revision that a Secret belongs to. */
export const REVISION_NAME_LABEL = `${PREFIX}/revision-name`;
/** The annotation of a managed object with the number of its revision. */
export const REVISION_ANNOTATION = `${PREFIX}/revision`;
/** The label of revisions that were made of a Helm release of older versions of OLM v1. */
export const MIGRATED_FROM_HELM_LABEL = `${PREFIX}/migrated-from-helm`;
/** The annotation with the properties of a bundle. */
export const PROPERTIES_ANNOTATION = "olm.properties";
/** The type of the Secrets that contain the objects of a revision. */
export const OBJECT_DATA_TYPE = `${PREFIX}/object-data`;

/** Delays the deletion of a catalog until its content is gone. */
export const CATALOG_FINALIZER = `${PREFIX}/delete-server-cache`;
/** Delay the deletion of an extension until nothing of it is cached. */
export const EXTENSION_FINALIZERS: readonly string[] = [`${PREFIX}/cleanup-unpack-cache`, `${PREFIX}/cleanup-contentmanager-cache`];
/** Delays the deletion of a revision until its objects are no longer watched. */
export const TEARDOWN_FINALIZER = `${PREFIX}/teardown`;

/** The field manager of the objects of a revision. */
export const OBJECT_FIELD_MANAGER = PREFIX;
/** The field manager of revisions. */
export const REVISION_FIELD_MANAGER = `${PREFIX}/clusterextension-controller`;
/** The field manager of other writes to extensions, revisions and Secrets. */
export const CONTROLLER_FIELD_MANAGER = "operator-controller";
/** The field manager of writes to catalogs. */
export const CATALOG_FIELD_MANAGER = "catalogd";
/** The label of managed objects that names their manager. */
export const MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";

/** The namespace of the manager, with the Secrets of all revisions. */
export const SYSTEM_NAMESPACE = "olmv1-system";

/** The group of policies and plans, and the prefix of annotations that upstream does not have. */
export const POLICY_GROUP = "lifecycle.pintle.dev";
/** The annotation of a revision with the generation of the extension that it was created for. */
export const GENERATION_ANNOTATION = `${POLICY_GROUP}/generation`;
/** The annotation of a revision with the ServiceAccount that applies its objects, as `namespace/name`. */
export const INSTALLER_ANNOTATION = `${POLICY_GROUP}/installer`;
/** The annotation of a rollback, with the failed revision as JSON. */
export const ROLLED_BACK_ANNOTATION = `${POLICY_GROUP}/rolled-back`;
/** The annotation of an extension that a user wants to go back, with the newest revision and the wanted one as JSON: `{"from":3,"to":2}`. */
export const ROLL_BACK_ANNOTATION = `${POLICY_GROUP}/roll-back`;
/** The annotation of a revision with the time at which it passed its health checks. */
export const PROVEN_ANNOTATION = `${POLICY_GROUP}/proven`;
/** The annotation of a revision whose CRDs outlive it. */
export const KEEP_DEFINITIONS_ANNOTATION = `${POLICY_GROUP}/keep-definitions`;
/** The field manager of writes that policies cause. */
export const POLICY_FIELD_MANAGER = "pintle-extension-policy";
