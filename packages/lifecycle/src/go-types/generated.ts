// Written by conformance/lifecycle/go-types.ts. Do not edit.
/** The fields of Go's structs in their order: `name type`, with `?` for omitempty and `!` for omitzero. */
export const GO_STRUCTS: Readonly<Record<string, string>> = {
  "admissionregistration/v1.MatchCondition": "name string; expression string",
  "admissionregistration/v1.MutatingWebhook":
    "name string; clientConfig admissionregistration/v1.WebhookClientConfig; rules? []admissionregistration/v1.RuleWithOperations; failurePolicy? *string; matchPolicy? *string; namespaceSelector? *meta/v1.LabelSelector; objectSelector? *meta/v1.LabelSelector; sideEffects *string; timeoutSeconds? *int32; admissionReviewVersions []string; reinvocationPolicy? *string; matchConditions? []admissionregistration/v1.MatchCondition",
  "admissionregistration/v1.MutatingWebhookConfiguration":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; webhooks? []admissionregistration/v1.MutatingWebhook",
  "admissionregistration/v1.RuleWithOperations":
    "operations? []string; apiGroups? []string; apiVersions? []string; resources? []string; scope? *string",
  "admissionregistration/v1.ServiceReference": "namespace string; name string; path? *string; port? *int32",
  "admissionregistration/v1.ValidatingWebhook":
    "name string; clientConfig admissionregistration/v1.WebhookClientConfig; rules? []admissionregistration/v1.RuleWithOperations; failurePolicy? *string; matchPolicy? *string; namespaceSelector? *meta/v1.LabelSelector; objectSelector? *meta/v1.LabelSelector; sideEffects *string; timeoutSeconds? *int32; admissionReviewVersions []string; matchConditions? []admissionregistration/v1.MatchCondition",
  "admissionregistration/v1.ValidatingWebhookConfiguration":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; webhooks? []admissionregistration/v1.ValidatingWebhook",
  "admissionregistration/v1.WebhookClientConfig": "url? *string; service? *admissionregistration/v1.ServiceReference; caBundle? bytes",
  "apiextensions/v1.CustomResourceColumnDefinition":
    "name string; type string; format? string; description? string; priority? int32; jsonPath string",
  "apiextensions/v1.CustomResourceConversion": "strategy string; webhook? *apiextensions/v1.WebhookConversion",
  "apiextensions/v1.CustomResourceDefinition":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; spec apiextensions/v1.CustomResourceDefinitionSpec; status? apiextensions/v1.CustomResourceDefinitionStatus",
  "apiextensions/v1.CustomResourceDefinitionCondition":
    "type string; status string; lastTransitionTime? json Time; reason? string; message? string; observedGeneration? int64",
  "apiextensions/v1.CustomResourceDefinitionNames":
    "plural string; singular? string; shortNames? []string; kind string; listKind? string; categories? []string",
  "apiextensions/v1.CustomResourceDefinitionSpec":
    "group string; names apiextensions/v1.CustomResourceDefinitionNames; scope string; versions []apiextensions/v1.CustomResourceDefinitionVersion; conversion? *apiextensions/v1.CustomResourceConversion; preserveUnknownFields? bool",
  "apiextensions/v1.CustomResourceDefinitionStatus":
    "conditions []apiextensions/v1.CustomResourceDefinitionCondition; acceptedNames apiextensions/v1.CustomResourceDefinitionNames; storedVersions []string; observedGeneration? int64",
  "apiextensions/v1.CustomResourceDefinitionVersion":
    "name string; served bool; storage bool; deprecated? bool; deprecationWarning? *string; schema? *apiextensions/v1.CustomResourceValidation; subresources? *apiextensions/v1.CustomResourceSubresources; additionalPrinterColumns? []apiextensions/v1.CustomResourceColumnDefinition; selectableFields? []apiextensions/v1.SelectableField",
  "apiextensions/v1.CustomResourceSubresourceScale": "specReplicasPath string; statusReplicasPath string; labelSelectorPath? *string",
  "apiextensions/v1.CustomResourceSubresourceStatus": "",
  "apiextensions/v1.CustomResourceSubresources":
    "status? *apiextensions/v1.CustomResourceSubresourceStatus; scale? *apiextensions/v1.CustomResourceSubresourceScale",
  "apiextensions/v1.CustomResourceValidation": "openAPIV3Schema? *apiextensions/v1.JSONSchemaProps",
  "apiextensions/v1.ExternalDocumentation": "description? string; url? string",
  "apiextensions/v1.JSONSchemaProps":
    "id? string; $schema? string; $ref? *string; description? string; type? string; format? string; title? string; default? *json JSON; maximum? *float64; exclusiveMaximum? bool; minimum? *float64; exclusiveMinimum? bool; maxLength? *int64; minLength? *int64; pattern? string; maxItems? *int64; minItems? *int64; uniqueItems? bool; multipleOf? *float64; enum? []json JSON; maxProperties? *int64; minProperties? *int64; required? []string; items? *json JSONSchemaPropsOrArray; allOf? []apiextensions/v1.JSONSchemaProps; oneOf? []apiextensions/v1.JSONSchemaProps; anyOf? []apiextensions/v1.JSONSchemaProps; not? *apiextensions/v1.JSONSchemaProps; properties? map apiextensions/v1.JSONSchemaProps; additionalProperties? *json JSONSchemaPropsOrBool; patternProperties? map apiextensions/v1.JSONSchemaProps; dependencies? map json JSONSchemaPropsOrStringArray; additionalItems? *json JSONSchemaPropsOrBool; definitions? map apiextensions/v1.JSONSchemaProps; externalDocs? *apiextensions/v1.ExternalDocumentation; example? *json JSON; nullable? bool; x-kubernetes-preserve-unknown-fields? *bool; x-kubernetes-embedded-resource? bool; x-kubernetes-int-or-string? bool; x-kubernetes-list-map-keys? []string; x-kubernetes-list-type? *string; x-kubernetes-map-type? *string; x-kubernetes-validations? []apiextensions/v1.ValidationRule",
  "apiextensions/v1.SelectableField": "jsonPath string",
  "apiextensions/v1.ServiceReference": "namespace string; name string; path? *string; port? *int32",
  "apiextensions/v1.ValidationRule":
    "rule string; message? string; messageExpression? string; reason? *string; fieldPath? string; optionalOldSelf? *bool",
  "apiextensions/v1.WebhookClientConfig": "url? *string; service? *apiextensions/v1.ServiceReference; caBundle? bytes",
  "apiextensions/v1.WebhookConversion": "clientConfig? *apiextensions/v1.WebhookClientConfig; conversionReviewVersions []string",
  "apps/v1.Deployment":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; spec? apps/v1.DeploymentSpec; status? apps/v1.DeploymentStatus",
  "apps/v1.DeploymentCondition":
    "type string; status string; lastUpdateTime? json Time; lastTransitionTime? json Time; reason? string; message? string",
  "apps/v1.DeploymentSpec":
    "replicas? *int32; selector *meta/v1.LabelSelector; template core/v1.PodTemplateSpec; strategy? apps/v1.DeploymentStrategy; minReadySeconds? int32; revisionHistoryLimit? *int32; paused? bool; progressDeadlineSeconds? *int32",
  "apps/v1.DeploymentStatus":
    "observedGeneration? int64; replicas? int32; updatedReplicas? int32; readyReplicas? int32; availableReplicas? int32; unavailableReplicas? int32; terminatingReplicas? *int32; conditions? []apps/v1.DeploymentCondition; collisionCount? *int32",
  "apps/v1.DeploymentStrategy": "type? string; rollingUpdate? *apps/v1.RollingUpdateDeployment",
  "apps/v1.RollingUpdateDeployment": "maxUnavailable? *json IntOrString; maxSurge? *json IntOrString",
  "core/v1.AWSElasticBlockStoreVolumeSource": "volumeID string; fsType? string; partition? int32; readOnly? bool",
  "core/v1.Affinity": "nodeAffinity? *core/v1.NodeAffinity; podAffinity? *core/v1.PodAffinity; podAntiAffinity? *core/v1.PodAntiAffinity",
  "core/v1.AppArmorProfile": "type string; localhostProfile? *string",
  "core/v1.AzureDiskVolumeSource": "diskName string; diskURI string; cachingMode? *string; fsType? *string; readOnly? *bool; kind? *string",
  "core/v1.AzureFileVolumeSource": "secretName string; shareName string; readOnly? bool",
  "core/v1.CSIVolumeSource":
    "driver string; readOnly? *bool; fsType? *string; volumeAttributes? map string; nodePublishSecretRef? *core/v1.LocalObjectReference",
  "core/v1.Capabilities": "add? []string; drop? []string",
  "core/v1.CephFSVolumeSource":
    "monitors []string; path? string; user? string; secretFile? string; secretRef? *core/v1.LocalObjectReference; readOnly? bool",
  "core/v1.CinderVolumeSource": "volumeID string; fsType? string; readOnly? bool; secretRef? *core/v1.LocalObjectReference",
  "core/v1.ClientIPConfig": "timeoutSeconds? *int32",
  "core/v1.ClusterTrustBundleProjection":
    "name? *string; signerName? *string; labelSelector? *meta/v1.LabelSelector; optional? *bool; path string",
  "core/v1.ConfigMapEnvSource": "name? string; optional? *bool",
  "core/v1.ConfigMapKeySelector": "name? string; key string; optional? *bool",
  "core/v1.ConfigMapProjection": "name? string; items? []core/v1.KeyToPath; optional? *bool",
  "core/v1.ConfigMapVolumeSource": "name? string; items? []core/v1.KeyToPath; defaultMode? *int32; optional? *bool",
  "core/v1.Container":
    "name string; image? string; command? []string; args? []string; workingDir? string; ports? []core/v1.ContainerPort; envFrom? []core/v1.EnvFromSource; env? []core/v1.EnvVar; resources? core/v1.ResourceRequirements; resizePolicy? []core/v1.ContainerResizePolicy; restartPolicy? *string; restartPolicyRules? []core/v1.ContainerRestartRule; volumeMounts? []core/v1.VolumeMount; volumeDevices? []core/v1.VolumeDevice; livenessProbe? *core/v1.Probe; readinessProbe? *core/v1.Probe; startupProbe? *core/v1.Probe; lifecycle? *core/v1.Lifecycle; terminationMessagePath? string; terminationMessagePolicy? string; imagePullPolicy? string; securityContext? *core/v1.SecurityContext; stdin? bool; stdinOnce? bool; tty? bool",
  "core/v1.ContainerPort": "name? string; hostPort? int32; containerPort int32; protocol? string; hostIP? string",
  "core/v1.ContainerResizePolicy": "resourceName string; restartPolicy string",
  "core/v1.ContainerRestartRule": "action? string; exitCodes? *core/v1.ContainerRestartRuleOnExitCodes",
  "core/v1.ContainerRestartRuleOnExitCodes": "operator? string; values? []int32",
  "core/v1.DownwardAPIProjection": "items? []core/v1.DownwardAPIVolumeFile",
  "core/v1.DownwardAPIVolumeFile":
    "path string; fieldRef? *core/v1.ObjectFieldSelector; resourceFieldRef? *core/v1.ResourceFieldSelector; mode? *int32",
  "core/v1.DownwardAPIVolumeSource": "items? []core/v1.DownwardAPIVolumeFile; defaultMode? *int32",
  "core/v1.EmptyDirVolumeSource": "medium? string; sizeLimit? *json Quantity",
  "core/v1.EnvFromSource": "prefix? string; configMapRef? *core/v1.ConfigMapEnvSource; secretRef? *core/v1.SecretEnvSource",
  "core/v1.EnvVar": "name string; value? string; valueFrom? *core/v1.EnvVarSource",
  "core/v1.EnvVarSource":
    "fieldRef? *core/v1.ObjectFieldSelector; resourceFieldRef? *core/v1.ResourceFieldSelector; configMapKeyRef? *core/v1.ConfigMapKeySelector; secretKeyRef? *core/v1.SecretKeySelector; fileKeyRef? *core/v1.FileKeySelector",
  "core/v1.EphemeralContainer":
    "name string; image? string; command? []string; args? []string; workingDir? string; ports? []core/v1.ContainerPort; envFrom? []core/v1.EnvFromSource; env? []core/v1.EnvVar; resources? core/v1.ResourceRequirements; resizePolicy? []core/v1.ContainerResizePolicy; restartPolicy? *string; restartPolicyRules? []core/v1.ContainerRestartRule; volumeMounts? []core/v1.VolumeMount; volumeDevices? []core/v1.VolumeDevice; livenessProbe? *core/v1.Probe; readinessProbe? *core/v1.Probe; startupProbe? *core/v1.Probe; lifecycle? *core/v1.Lifecycle; terminationMessagePath? string; terminationMessagePolicy? string; imagePullPolicy? string; securityContext? *core/v1.SecurityContext; stdin? bool; stdinOnce? bool; tty? bool; targetContainerName? string",
  "core/v1.EphemeralVolumeSource": "volumeClaimTemplate? *core/v1.PersistentVolumeClaimTemplate",
  "core/v1.ExecAction": "command? []string",
  "core/v1.FCVolumeSource": "targetWWNs? []string; lun? *int32; fsType? string; readOnly? bool; wwids? []string",
  "core/v1.FileKeySelector": "volumeName string; path string; key string; optional? *bool",
  "core/v1.FlexVolumeSource":
    "driver string; fsType? string; secretRef? *core/v1.LocalObjectReference; readOnly? bool; options? map string",
  "core/v1.FlockerVolumeSource": "datasetName? string; datasetUUID? string",
  "core/v1.GCEPersistentDiskVolumeSource": "pdName string; fsType? string; partition? int32; readOnly? bool",
  "core/v1.GRPCAction": "port int32; service *string",
  "core/v1.GitRepoVolumeSource": "repository string; revision? string; directory? string",
  "core/v1.GlusterfsVolumeSource": "endpoints string; path string; readOnly? bool",
  "core/v1.HTTPGetAction": "path? string; port json IntOrString; host? string; scheme? string; httpHeaders? []core/v1.HTTPHeader",
  "core/v1.HTTPHeader": "name string; value string",
  "core/v1.HostAlias": "ip string; hostnames? []string",
  "core/v1.HostPathVolumeSource": "path string; type? *string",
  "core/v1.ISCSIVolumeSource":
    "targetPortal string; iqn string; lun int32; iscsiInterface? string; fsType? string; readOnly? bool; portals? []string; chapAuthDiscovery? bool; chapAuthSession? bool; secretRef? *core/v1.LocalObjectReference; initiatorName? *string",
  "core/v1.ImageVolumeSource": "reference? string; pullPolicy? string",
  "core/v1.KeyToPath": "key string; path string; mode? *int32",
  "core/v1.Lifecycle": "postStart? *core/v1.LifecycleHandler; preStop? *core/v1.LifecycleHandler; stopSignal? *string",
  "core/v1.LifecycleHandler":
    "exec? *core/v1.ExecAction; httpGet? *core/v1.HTTPGetAction; tcpSocket? *core/v1.TCPSocketAction; sleep? *core/v1.SleepAction",
  "core/v1.LoadBalancerIngress": "ip? string; hostname? string; ipMode? *string; ports? []core/v1.PortStatus",
  "core/v1.LoadBalancerStatus": "ingress? []core/v1.LoadBalancerIngress",
  "core/v1.LocalObjectReference": "name? string",
  "core/v1.NFSVolumeSource": "server string; path string; readOnly? bool",
  "core/v1.NodeAffinity":
    "requiredDuringSchedulingIgnoredDuringExecution? *core/v1.NodeSelector; preferredDuringSchedulingIgnoredDuringExecution? []core/v1.PreferredSchedulingTerm",
  "core/v1.NodeSelector": "nodeSelectorTerms []core/v1.NodeSelectorTerm",
  "core/v1.NodeSelectorRequirement": "key string; operator string; values? []string",
  "core/v1.NodeSelectorTerm": "matchExpressions? []core/v1.NodeSelectorRequirement; matchFields? []core/v1.NodeSelectorRequirement",
  "core/v1.ObjectFieldSelector": "apiVersion? string; fieldPath string",
  "core/v1.ObjectReference":
    "kind? string; namespace? string; name? string; uid? string; apiVersion? string; resourceVersion? string; fieldPath? string",
  "core/v1.PersistentVolumeClaimSpec":
    "accessModes? []string; selector? *meta/v1.LabelSelector; resources? core/v1.VolumeResourceRequirements; volumeName? string; storageClassName? *string; volumeMode? *string; dataSource? *core/v1.TypedLocalObjectReference; dataSourceRef? *core/v1.TypedObjectReference; volumeAttributesClassName? *string",
  "core/v1.PersistentVolumeClaimTemplate": "metadata? meta/v1.ObjectMeta; spec core/v1.PersistentVolumeClaimSpec",
  "core/v1.PersistentVolumeClaimVolumeSource": "claimName string; readOnly? bool",
  "core/v1.PhotonPersistentDiskVolumeSource": "pdID string; fsType? string",
  "core/v1.PodAffinity":
    "requiredDuringSchedulingIgnoredDuringExecution? []core/v1.PodAffinityTerm; preferredDuringSchedulingIgnoredDuringExecution? []core/v1.WeightedPodAffinityTerm",
  "core/v1.PodAffinityTerm":
    "labelSelector? *meta/v1.LabelSelector; namespaces? []string; topologyKey string; namespaceSelector? *meta/v1.LabelSelector; matchLabelKeys? []string; mismatchLabelKeys? []string",
  "core/v1.PodAntiAffinity":
    "requiredDuringSchedulingIgnoredDuringExecution? []core/v1.PodAffinityTerm; preferredDuringSchedulingIgnoredDuringExecution? []core/v1.WeightedPodAffinityTerm",
  "core/v1.PodCertificateProjection":
    "signerName? string; keyType? string; maxExpirationSeconds? *int32; credentialBundlePath? string; keyPath? string; certificateChainPath? string; userAnnotations? map string",
  "core/v1.PodDNSConfig": "nameservers? []string; searches? []string; options? []core/v1.PodDNSConfigOption",
  "core/v1.PodDNSConfigOption": "name? string; value? *string",
  "core/v1.PodOS": "name string",
  "core/v1.PodReadinessGate": "conditionType string",
  "core/v1.PodResourceClaim": "name string; resourceClaimName? *string; resourceClaimTemplateName? *string",
  "core/v1.PodSchedulingGate": "name string",
  "core/v1.PodSchedulingGroup": "podGroupName? *string",
  "core/v1.PodSecurityContext":
    "seLinuxOptions? *core/v1.SELinuxOptions; windowsOptions? *core/v1.WindowsSecurityContextOptions; runAsUser? *int64; runAsGroup? *int64; runAsNonRoot? *bool; supplementalGroups? []int64; supplementalGroupsPolicy? *string; fsGroup? *int64; sysctls? []core/v1.Sysctl; fsGroupChangePolicy? *string; seccompProfile? *core/v1.SeccompProfile; appArmorProfile? *core/v1.AppArmorProfile; seLinuxChangePolicy? *string",
  "core/v1.PodSpec":
    "volumes? []core/v1.Volume; initContainers? []core/v1.Container; containers []core/v1.Container; ephemeralContainers? []core/v1.EphemeralContainer; restartPolicy? string; terminationGracePeriodSeconds? *int64; activeDeadlineSeconds? *int64; dnsPolicy? string; nodeSelector? map string; serviceAccountName? string; serviceAccount? string; automountServiceAccountToken? *bool; nodeName? string; hostNetwork? bool; hostPID? bool; hostIPC? bool; shareProcessNamespace? *bool; securityContext? *core/v1.PodSecurityContext; imagePullSecrets? []core/v1.LocalObjectReference; hostname? string; subdomain? string; affinity? *core/v1.Affinity; schedulerName? string; tolerations? []core/v1.Toleration; hostAliases? []core/v1.HostAlias; priorityClassName? string; priority? *int32; dnsConfig? *core/v1.PodDNSConfig; readinessGates? []core/v1.PodReadinessGate; runtimeClassName? *string; enableServiceLinks? *bool; preemptionPolicy? *string; overhead? map json Quantity; topologySpreadConstraints? []core/v1.TopologySpreadConstraint; setHostnameAsFQDN? *bool; os? *core/v1.PodOS; hostUsers? *bool; schedulingGates? []core/v1.PodSchedulingGate; resourceClaims? []core/v1.PodResourceClaim; resources? *core/v1.ResourceRequirements; hostnameOverride? *string; schedulingGroup? *core/v1.PodSchedulingGroup",
  "core/v1.PodTemplateSpec": "metadata? meta/v1.ObjectMeta; spec? core/v1.PodSpec",
  "core/v1.PortStatus": "port int32; protocol string; error? *string",
  "core/v1.PortworxVolumeSource": "volumeID string; fsType? string; readOnly? bool",
  "core/v1.PreferredSchedulingTerm": "weight int32; preference core/v1.NodeSelectorTerm",
  "core/v1.Probe":
    "exec? *core/v1.ExecAction; httpGet? *core/v1.HTTPGetAction; tcpSocket? *core/v1.TCPSocketAction; grpc? *core/v1.GRPCAction; initialDelaySeconds? int32; timeoutSeconds? int32; periodSeconds? int32; successThreshold? int32; failureThreshold? int32; terminationGracePeriodSeconds? *int64",
  "core/v1.ProjectedVolumeSource": "sources []core/v1.VolumeProjection; defaultMode? *int32",
  "core/v1.QuobyteVolumeSource": "registry string; volume string; readOnly? bool; user? string; group? string; tenant? string",
  "core/v1.RBDVolumeSource":
    "monitors []string; image string; fsType? string; pool? string; user? string; keyring? string; secretRef? *core/v1.LocalObjectReference; readOnly? bool",
  "core/v1.ResourceClaim": "name string; request? string",
  "core/v1.ResourceFieldSelector": "containerName? string; resource string; divisor? json Quantity",
  "core/v1.ResourceRequirements": "limits? map json Quantity; requests? map json Quantity; claims? []core/v1.ResourceClaim",
  "core/v1.SELinuxOptions": "user? string; role? string; type? string; level? string",
  "core/v1.ScaleIOVolumeSource":
    "gateway string; system string; secretRef *core/v1.LocalObjectReference; sslEnabled? bool; protectionDomain? string; storagePool? string; storageMode? string; volumeName? string; fsType? string; readOnly? bool",
  "core/v1.SeccompProfile": "type string; localhostProfile? *string",
  "core/v1.SecretEnvSource": "name? string; optional? *bool",
  "core/v1.SecretKeySelector": "name? string; key string; optional? *bool",
  "core/v1.SecretProjection": "name? string; items? []core/v1.KeyToPath; optional? *bool",
  "core/v1.SecretVolumeSource": "secretName? string; items? []core/v1.KeyToPath; defaultMode? *int32; optional? *bool",
  "core/v1.SecurityContext":
    "capabilities? *core/v1.Capabilities; privileged? *bool; seLinuxOptions? *core/v1.SELinuxOptions; windowsOptions? *core/v1.WindowsSecurityContextOptions; runAsUser? *int64; runAsGroup? *int64; runAsNonRoot? *bool; readOnlyRootFilesystem? *bool; allowPrivilegeEscalation? *bool; procMount? *string; seccompProfile? *core/v1.SeccompProfile; appArmorProfile? *core/v1.AppArmorProfile",
  "core/v1.Service":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; spec? core/v1.ServiceSpec; status? core/v1.ServiceStatus",
  "core/v1.ServiceAccount":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; secrets? []core/v1.ObjectReference; imagePullSecrets? []core/v1.LocalObjectReference; automountServiceAccountToken? *bool",
  "core/v1.ServiceAccountTokenProjection": "audience? string; expirationSeconds? *int64; path string",
  "core/v1.ServicePort": "name? string; protocol? string; appProtocol? *string; port int32; targetPort? json IntOrString; nodePort? int32",
  "core/v1.ServiceSpec":
    "ports? []core/v1.ServicePort; selector? map string; clusterIP? string; clusterIPs? []string; type? string; externalIPs? []string; sessionAffinity? string; loadBalancerIP? string; loadBalancerSourceRanges? []string; externalName? string; externalTrafficPolicy? string; healthCheckNodePort? int32; publishNotReadyAddresses? bool; sessionAffinityConfig? *core/v1.SessionAffinityConfig; ipFamilies? []string; ipFamilyPolicy? *string; allocateLoadBalancerNodePorts? *bool; loadBalancerClass? *string; internalTrafficPolicy? *string; trafficDistribution? *string",
  "core/v1.ServiceStatus": "loadBalancer? core/v1.LoadBalancerStatus; conditions? []meta/v1.Condition",
  "core/v1.SessionAffinityConfig": "clientIP? *core/v1.ClientIPConfig",
  "core/v1.SleepAction": "seconds int64",
  "core/v1.StorageOSVolumeSource":
    "volumeName? string; volumeNamespace? string; fsType? string; readOnly? bool; secretRef? *core/v1.LocalObjectReference",
  "core/v1.Sysctl": "name string; value string",
  "core/v1.TCPSocketAction": "port json IntOrString; host? string",
  "core/v1.Toleration": "key? string; operator? string; value? string; effect? string; tolerationSeconds? *int64",
  "core/v1.TopologySpreadConstraint":
    "maxSkew int32; topologyKey string; whenUnsatisfiable string; labelSelector? *meta/v1.LabelSelector; minDomains? *int32; nodeAffinityPolicy? *string; nodeTaintsPolicy? *string; matchLabelKeys? []string",
  "core/v1.TypedLocalObjectReference": "apiGroup *string; kind string; name string",
  "core/v1.TypedObjectReference": "apiGroup *string; kind string; name string; namespace? *string",
  "core/v1.Volume":
    "name string; hostPath? *core/v1.HostPathVolumeSource; emptyDir? *core/v1.EmptyDirVolumeSource; gcePersistentDisk? *core/v1.GCEPersistentDiskVolumeSource; awsElasticBlockStore? *core/v1.AWSElasticBlockStoreVolumeSource; gitRepo? *core/v1.GitRepoVolumeSource; secret? *core/v1.SecretVolumeSource; nfs? *core/v1.NFSVolumeSource; iscsi? *core/v1.ISCSIVolumeSource; glusterfs? *core/v1.GlusterfsVolumeSource; persistentVolumeClaim? *core/v1.PersistentVolumeClaimVolumeSource; rbd? *core/v1.RBDVolumeSource; flexVolume? *core/v1.FlexVolumeSource; cinder? *core/v1.CinderVolumeSource; cephfs? *core/v1.CephFSVolumeSource; flocker? *core/v1.FlockerVolumeSource; downwardAPI? *core/v1.DownwardAPIVolumeSource; fc? *core/v1.FCVolumeSource; azureFile? *core/v1.AzureFileVolumeSource; configMap? *core/v1.ConfigMapVolumeSource; vsphereVolume? *core/v1.VsphereVirtualDiskVolumeSource; quobyte? *core/v1.QuobyteVolumeSource; azureDisk? *core/v1.AzureDiskVolumeSource; photonPersistentDisk? *core/v1.PhotonPersistentDiskVolumeSource; projected? *core/v1.ProjectedVolumeSource; portworxVolume? *core/v1.PortworxVolumeSource; scaleIO? *core/v1.ScaleIOVolumeSource; storageos? *core/v1.StorageOSVolumeSource; csi? *core/v1.CSIVolumeSource; ephemeral? *core/v1.EphemeralVolumeSource; image? *core/v1.ImageVolumeSource",
  "core/v1.VolumeDevice": "name string; devicePath string",
  "core/v1.VolumeMount":
    "name string; readOnly? bool; recursiveReadOnly? *string; mountPath string; subPath? string; mountPropagation? *string; subPathExpr? string",
  "core/v1.VolumeProjection":
    "secret? *core/v1.SecretProjection; downwardAPI? *core/v1.DownwardAPIProjection; configMap? *core/v1.ConfigMapProjection; serviceAccountToken? *core/v1.ServiceAccountTokenProjection; clusterTrustBundle? *core/v1.ClusterTrustBundleProjection; podCertificate? *core/v1.PodCertificateProjection",
  "core/v1.VolumeResourceRequirements": "limits? map json Quantity; requests? map json Quantity",
  "core/v1.VsphereVirtualDiskVolumeSource": "volumePath string; fsType? string; storagePolicyName? string; storagePolicyID? string",
  "core/v1.WeightedPodAffinityTerm": "weight int32; podAffinityTerm core/v1.PodAffinityTerm",
  "core/v1.WindowsSecurityContextOptions":
    "gmsaCredentialSpecName? *string; gmsaCredentialSpec? *string; runAsUserName? *string; hostProcess? *bool",
  "meta/v1.Condition": "type string; status string; observedGeneration? int64; lastTransitionTime json Time; reason string; message string",
  "meta/v1.GroupVersionKind": "group string; version string; kind string",
  "meta/v1.LabelSelector": "matchLabels? map string; matchExpressions? []meta/v1.LabelSelectorRequirement",
  "meta/v1.LabelSelectorRequirement": "key string; operator string; values? []string",
  "meta/v1.ManagedFieldsEntry":
    "manager? string; operation? string; apiVersion? string; time? *json Time; fieldsType? string; fieldsV1? *json FieldsV1; subresource? string",
  "meta/v1.ObjectMeta":
    "name? string; generateName? string; namespace? string; selfLink? string; uid? string; resourceVersion? string; generation? int64; creationTimestamp! json Time; deletionTimestamp? *json Time; deletionGracePeriodSeconds? *int64; labels? map string; annotations? map string; ownerReferences? []meta/v1.OwnerReference; finalizers? []string; managedFields? []meta/v1.ManagedFieldsEntry",
  "meta/v1.OwnerReference": "apiVersion string; kind string; name string; uid string; controller? *bool; blockOwnerDeletion? *bool",
  "operators/v1alpha1.APIResourceReference": "name string; kind string; version string",
  "operators/v1alpha1.APIServiceDefinitions":
    "owned? []operators/v1alpha1.APIServiceDescription; required? []operators/v1alpha1.APIServiceDescription",
  "operators/v1alpha1.APIServiceDescription":
    "name string; group string; version string; kind string; deploymentName? string; containerPort? int32; displayName? string; description? string; resources? []operators/v1alpha1.APIResourceReference; statusDescriptors? []operators/v1alpha1.StatusDescriptor; specDescriptors? []operators/v1alpha1.SpecDescriptor; actionDescriptors? []operators/v1alpha1.ActionDescriptor",
  "operators/v1alpha1.ActionDescriptor":
    "path string; displayName? string; description? string; x-descriptors? []string; value? json RawMessage",
  "operators/v1alpha1.AppLink": "name? string; url? string",
  "operators/v1alpha1.CRDDescription":
    "name string; version string; kind string; displayName? string; description? string; resources? []operators/v1alpha1.APIResourceReference; statusDescriptors? []operators/v1alpha1.StatusDescriptor; specDescriptors? []operators/v1alpha1.SpecDescriptor; actionDescriptors? []operators/v1alpha1.ActionDescriptor",
  "operators/v1alpha1.CleanupSpec": "enabled bool",
  "operators/v1alpha1.CleanupStatus": "pendingDeletion? []operators/v1alpha1.ResourceList",
  "operators/v1alpha1.ClusterServiceVersion":
    "kind? string; apiVersion? string; metadata meta/v1.ObjectMeta; spec operators/v1alpha1.ClusterServiceVersionSpec; status operators/v1alpha1.ClusterServiceVersionStatus",
  "operators/v1alpha1.ClusterServiceVersionCondition":
    "phase? string; message? string; reason? string; lastUpdateTime? *json Time; lastTransitionTime? *json Time",
  "operators/v1alpha1.ClusterServiceVersionSpec":
    "install operators/v1alpha1.NamedInstallStrategy; version? json OperatorVersion; release! json OperatorRelease; maturity? string; customresourcedefinitions? operators/v1alpha1.CustomResourceDefinitions; apiservicedefinitions? operators/v1alpha1.APIServiceDefinitions; webhookdefinitions? []operators/v1alpha1.WebhookDescription; nativeAPIs? []meta/v1.GroupVersionKind; minKubeVersion? string; displayName string; description? string; keywords? []string; maintainers? []operators/v1alpha1.Maintainer; provider? operators/v1alpha1.AppLink; links? []operators/v1alpha1.AppLink; icon? []operators/v1alpha1.Icon; installModes? []operators/v1alpha1.InstallMode; replaces? string; labels? map string; annotations? map string; selector? *meta/v1.LabelSelector; cleanup? operators/v1alpha1.CleanupSpec; skips? []string; relatedImages? []operators/v1alpha1.RelatedImage",
  "operators/v1alpha1.ClusterServiceVersionStatus":
    "phase? string; message? string; reason? string; lastUpdateTime? *json Time; lastTransitionTime? *json Time; conditions? []operators/v1alpha1.ClusterServiceVersionCondition; requirementStatus? []operators/v1alpha1.RequirementStatus; certsLastUpdated? *json Time; certsRotateAt? *json Time; cleanup? operators/v1alpha1.CleanupStatus",
  "operators/v1alpha1.CustomResourceDefinitions":
    "owned? []operators/v1alpha1.CRDDescription; required? []operators/v1alpha1.CRDDescription",
  "operators/v1alpha1.DependentStatus": "group string; version string; kind string; status string; uuid? string; message? string",
  "operators/v1alpha1.Icon": "base64data string; mediatype string",
  "operators/v1alpha1.InstallMode": "type string; supported bool",
  "operators/v1alpha1.Maintainer": "name? string; email? string",
  "operators/v1alpha1.NamedInstallStrategy": "strategy string; spec? operators/v1alpha1.StrategyDetailsDeployment",
  "operators/v1alpha1.RelatedImage": "name string; image string",
  "operators/v1alpha1.RequirementStatus":
    "group string; version string; kind string; name string; status string; message string; uuid? string; dependents? []operators/v1alpha1.DependentStatus",
  "operators/v1alpha1.ResourceInstance": "name string; namespace? string",
  "operators/v1alpha1.ResourceList": "group string; kind string; instances []operators/v1alpha1.ResourceInstance",
  "operators/v1alpha1.SpecDescriptor":
    "path string; displayName? string; description? string; x-descriptors? []string; value? json RawMessage",
  "operators/v1alpha1.StatusDescriptor":
    "path string; displayName? string; description? string; x-descriptors? []string; value? json RawMessage",
  "operators/v1alpha1.StrategyDeploymentPermissions": "serviceAccountName string; rules []rbac/v1.PolicyRule",
  "operators/v1alpha1.StrategyDeploymentSpec": "name string; spec apps/v1.DeploymentSpec; label? map string",
  "operators/v1alpha1.StrategyDetailsDeployment":
    "deployments []operators/v1alpha1.StrategyDeploymentSpec; permissions? []operators/v1alpha1.StrategyDeploymentPermissions; clusterPermissions? []operators/v1alpha1.StrategyDeploymentPermissions",
  "operators/v1alpha1.SubscriptionConfig":
    "selector? *meta/v1.LabelSelector; nodeSelector? map string; tolerations? []core/v1.Toleration; resources? *core/v1.ResourceRequirements; envFrom? []core/v1.EnvFromSource; env? []core/v1.EnvVar; volumes? []core/v1.Volume; volumeMounts? []core/v1.VolumeMount; affinity? *core/v1.Affinity; annotations? map string",
  "operators/v1alpha1.WebhookDescription":
    "generateName string; type string; deploymentName? string; containerPort? int32; targetPort? *json IntOrString; rules? []admissionregistration/v1.RuleWithOperations; failurePolicy? *string; matchPolicy? *string; objectSelector? *meta/v1.LabelSelector; sideEffects *string; timeoutSeconds? *int32; admissionReviewVersions []string; reinvocationPolicy? *string; webhookPath? *string; conversionCRDs? []string",
  "rbac/v1.AggregationRule": "clusterRoleSelectors? []meta/v1.LabelSelector",
  "rbac/v1.ClusterRole":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; rules []rbac/v1.PolicyRule; aggregationRule? *rbac/v1.AggregationRule",
  "rbac/v1.ClusterRoleBinding":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; subjects? []rbac/v1.Subject; roleRef rbac/v1.RoleRef",
  "rbac/v1.PolicyRule": "verbs []string; apiGroups? []string; resources? []string; resourceNames? []string; nonResourceURLs? []string",
  "rbac/v1.Role": "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; rules []rbac/v1.PolicyRule",
  "rbac/v1.RoleBinding":
    "kind? string; apiVersion? string; metadata? meta/v1.ObjectMeta; subjects? []rbac/v1.Subject; roleRef rbac/v1.RoleRef",
  "rbac/v1.RoleRef": "apiGroup string; kind string; name string",
  "rbac/v1.Subject": "kind string; apiGroup? string; name string; namespace? string",
};
