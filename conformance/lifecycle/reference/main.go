// Answers questions about bundles and catalogs with the code of operator-controller, operator-registry, the operator-framework API and crdify.
// It is compiled inside a copy of the operator-controller module, because most of that code is internal to it.
//
// One JSON request per line on stdin, one JSON answer per line on stdout.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"text/template"

	mmsemver "github.com/Masterminds/semver/v3"
	bsemver "github.com/blang/semver/v4"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1client "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"github.com/operator-framework/api/pkg/validation"
	validationerrors "github.com/operator-framework/api/pkg/validation/errors"
	"github.com/operator-framework/operator-registry/alpha/action"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/pkg/lib/config"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-controller/internal/operator-controller/catalogmetadata/compare"
	renderconfig "github.com/operator-framework/operator-controller/internal/operator-controller/config"
	"github.com/operator-framework/operator-controller/internal/operator-controller/resolve"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/bundle/source"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/preflights/crdupgradesafety"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render/certproviders"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render/registryv1"
)

type request struct {
	Op       string   `json:"op"`
	Range    string   `json:"range"`
	Versions []string `json:"versions"`
	Folder   string   `json:"folder"`

	Catalogs  []catalog            `json:"catalogs"`
	Source    ocv1.CatalogFilter   `json:"source"`
	Installed *ocv1.BundleMetadata `json:"installed"`

	Namespace        string                         `json:"namespace"`
	TargetNamespaces []string                       `json:"targetNamespaces"`
	Certificates     string                         `json:"certificates"`
	DeploymentConfig *renderconfig.DeploymentConfig `json:"deploymentConfig"`

	Old *apiextensionsv1.CustomResourceDefinition `json:"old"`
	New *apiextensionsv1.CustomResourceDefinition `json:"new"`

	Validators []string          `json:"validators"`
	Values     map[string]string `json:"values"`
}

type catalog struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Priority    int32             `json:"priority"`
	Unavailable bool              `json:"unavailable"`
	Content     string            `json:"content"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	// Validators print there.
	os.Stdout = os.Stderr
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			encoded, encodeErr := json.Marshal(answer(line))
			if encodeErr != nil {
				encoded, _ = json.Marshal(map[string]any{"failure": encodeErr.Error()})
			}
			_, _ = out.Write(append(encoded, '\n'))
			_ = out.Flush()
		}
		if err != nil {
			return
		}
	}
}

func answer(line []byte) (result map[string]any) {
	defer func() {
		if r := recover(); r != nil {
			result = map[string]any{"panic": fmt.Sprint(r)}
		}
	}()
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return map[string]any{"failure": err.Error()}
	}
	switch req.Op {
	case "masterminds":
		r, err := compare.NewVersionRange(req.Range)
		return inRange(r, err, req.Versions)
	case "masterminds-version":
		v, err := mmsemver.NewVersion(req.Range)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"value": v.String()}
	case "blang":
		r, err := bsemver.ParseRange(req.Range)
		return inRange(r, err, req.Versions)
	case "version":
		v, err := bsemver.Parse(req.Range)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"value": v.String()}
	case "resolve":
		return resolveBundle(req)
	case "catalog":
		return withError(config.Validate(context.Background(), os.DirFS(req.Folder)))
	case "render":
		return renderBundle(req)
	case "upgrade":
		return withError(crdUpgrade(req.Old, req.New))
	case "bundle":
		return validateBundle(req)
	case "opm-render":
		return opmRender(req)
	case "types":
		return goTypes()
	}
	if operation, known := operations[req.Op]; known {
		return operation(line)
	}
	return map[string]any{"failure": "unknown operation " + req.Op}
}

// Operations of other files, which decode their requests themselves.
var operations = map[string]func(line []byte) map[string]any{}

func withError(err error) map[string]any {
	if err == nil {
		return map[string]any{}
	}
	return map[string]any{"error": err.Error()}
}

func inRange(r bsemver.Range, err error, versions []string) map[string]any {
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	matches := []any{}
	for _, text := range versions {
		v, err := bsemver.Parse(text)
		if err != nil {
			matches = append(matches, err.Error())
			continue
		}
		matches = append(matches, r(v))
	}
	return map[string]any{"matches": matches}
}

func resolveBundle(req request) map[string]any {
	list := func(_ context.Context, opts ...client.ListOption) ([]ocv1.ClusterCatalog, error) {
		options := client.ListOptions{}
		options.ApplyOptions(opts)
		var found []ocv1.ClusterCatalog
		for _, c := range req.Catalogs {
			if options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(c.Labels)) {
				continue
			}
			cat := ocv1.ClusterCatalog{ObjectMeta: metav1.ObjectMeta{Name: c.Name, Labels: c.Labels}}
			cat.Spec.Priority = c.Priority
			if c.Unavailable {
				cat.Spec.AvailabilityMode = ocv1.AvailabilityModeUnavailable
			}
			found = append(found, cat)
		}
		return found, nil
	}
	get := func(_ context.Context, cat *ocv1.ClusterCatalog, name string) (*declcfg.DeclarativeConfig, error) {
		for _, c := range req.Catalogs {
			if c.Name != cat.Name {
				continue
			}
			all, err := declcfg.LoadReader(strings.NewReader(c.Content))
			if err != nil {
				return nil, err
			}
			return ofPackage(all, name), nil
		}
		return nil, errors.New("no such catalog")
	}
	resolver := resolve.CatalogResolver{
		WalkCatalogsFunc: resolve.CatalogWalker(list, get),
		Validations:      []resolve.ValidationFunc{resolve.NoDependencyValidation},
	}
	ext := &ocv1.ClusterExtension{}
	ext.Spec.Source = ocv1.SourceConfig{SourceType: "Catalog", Catalog: &req.Source}
	bundle, version, deprecation, err := resolver.Resolve(context.Background(), ext, req.Installed)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{
		"bundle": bundle.Name, "image": bundle.Image, "version": version.Version.String(), "release": version.Release.String(),
		"deprecated": deprecation != nil,
	}
}

func ofPackage(all *declcfg.DeclarativeConfig, name string) *declcfg.DeclarativeConfig {
	result := &declcfg.DeclarativeConfig{}
	for _, p := range all.Packages {
		if p.Name == name {
			result.Packages = append(result.Packages, p)
		}
	}
	for _, c := range all.Channels {
		if c.Package == name {
			result.Channels = append(result.Channels, c)
		}
	}
	for _, b := range all.Bundles {
		if b.Package == name {
			result.Bundles = append(result.Bundles, b)
		}
	}
	for _, d := range all.Deprecations {
		if d.Package == name {
			result.Deprecations = append(result.Deprecations, d)
		}
	}
	return result
}

func renderBundle(req request) map[string]any {
	bundle, err := source.FromFS(os.DirFS(req.Folder)).GetBundle()
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	options := []render.Option{render.WithTargetNamespaces(req.TargetNamespaces...), render.WithDeploymentConfig(req.DeploymentConfig)}
	switch req.Certificates {
	case "cert-manager":
		options = append(options, render.WithCertificateProvider(certproviders.CertManagerCertificateProvider{}))
	case "service-ca":
		options = append(options, render.WithCertificateProvider(certproviders.OpenshiftServiceCaCertificateProvider{}))
	}
	objects, err := registryv1.Renderer.Render(bundle, req.Namespace, options...)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"objects": objects}
}

// What `opm render FOLDER --alpha-image-ref-template=...` prints.
func opmRender(req request) map[string]any {
	image := template.Must(template.New("image").Parse("localhost/{{.Package}}-bundle:v{{.Version}}"))
	render := action.Render{Refs: []string{req.Folder}, ImageRefTemplate: image, AllowedRefMask: action.RefBundleDir}
	config, err := render.Run(context.Background())
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	var blobs bytes.Buffer
	if err := declcfg.WriteJSON(*config, &blobs); err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"blobs": blobs.String()}
}

type oneDefinition struct {
	apiextensionsv1client.CustomResourceDefinitionInterface
	definition *apiextensionsv1.CustomResourceDefinition
}

func (o oneDefinition) Get(context.Context, string, metav1.GetOptions) (*apiextensionsv1.CustomResourceDefinition, error) {
	return o.definition, nil
}

func crdUpgrade(before, after *apiextensionsv1.CustomResourceDefinition) error {
	after.TypeMeta = metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}
	preflight := crdupgradesafety.NewPreflight(oneDefinition{definition: before})
	return preflight.Upgrade(context.Background(), []client.Object{after})
}

func validateBundle(req request) map[string]any {
	bundle, err := manifests.GetBundleFromDir(req.Folder)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	if bundle == nil {
		return map[string]any{"error": "no bundle"}
	}
	validators := validation.DefaultBundleValidators
	for _, name := range req.Validators {
		switch name {
		case "operatorhubv2":
			validators = validators.WithValidators(validation.OperatorHubV2Validator)
		case "capabilities":
			validators = validators.WithValidators(validation.StandardCapabilitiesValidator)
		case "categories":
			validators = validators.WithValidators(validation.StandardCategoriesValidator)
		case "alpha-deprecated-apis":
			validators = validators.WithValidators(validation.AlphaDeprecatedAPIsValidator)
		case "good-practices":
			validators = validators.WithValidators(validation.GoodPracticesValidator)
		case "operatorhub":
			validators = validators.WithValidators(validation.OperatorHubValidator)
		case "object":
			validators = validators.WithValidators(validation.ObjectValidator)
		}
	}
	objects := bundle.ObjectsToValidate()
	if req.Values != nil {
		objects = append(objects, req.Values)
	}
	found, warned := []string{}, []string{}
	var results []validationerrors.ManifestResult = validators.Validate(objects...)
	for _, result := range results {
		for _, e := range result.Errors {
			found = append(found, e.Error())
		}
		for _, e := range result.Warnings {
			warned = append(warned, e.Error())
		}
	}
	return map[string]any{"errors": found, "warnings": warned}
}

// The types of the objects that the renderer reads and writes. packages/lifecycle/src/go-types has them as a generated table.
var roots = []any{
	v1alpha1.ClusterServiceVersion{}, v1alpha1.SubscriptionConfig{}, apiextensionsv1.CustomResourceDefinition{}, appsv1.Deployment{}, corev1.Service{},
	corev1.ServiceAccount{}, rbacv1.Role{}, rbacv1.RoleBinding{}, rbacv1.ClusterRole{}, rbacv1.ClusterRoleBinding{},
	admissionregistrationv1.ValidatingWebhookConfiguration{}, admissionregistrationv1.MutatingWebhookConfiguration{},
}

func goTypes() map[string]any {
	structs := map[string][][3]string{}
	for _, root := range roots {
		describeType(reflect.TypeOf(root), structs)
	}
	return map[string]any{"structs": structs}
}

var unmarshaler = reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()

// Describes a type: `string`, `[]T`, `map T`, `*T`, the name of a struct, or of a type with its own JSON form.
func describeType(t reflect.Type, structs map[string][][3]string) string {
	if reflect.PointerTo(t).Implements(unmarshaler) && t.Kind() != reflect.Pointer {
		switch t.Name() {
		case "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool":
			describeType(reflect.TypeOf(apiextensionsv1.JSONSchemaProps{}), structs)
		}
		return "json " + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + describeType(t.Elem(), structs)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + describeType(t.Elem(), structs)
	case reflect.Map:
		return "map " + describeType(t.Elem(), structs)
	case reflect.Struct:
		name := typeName(t)
		if _, known := structs[name]; !known {
			structs[name] = nil
			structs[name] = describeFields(t, structs)
		}
		return name
	}
	return t.Kind().String()
}

// Several packages are named v1: the folder above tells them apart.
func typeName(t reflect.Type) string {
	folders := strings.Split(t.PkgPath(), "/")
	return folders[len(folders)-2] + "/" + folders[len(folders)-1] + "." + t.Name()
}

func describeFields(t reflect.Type, structs map[string][][3]string) [][3]string {
	fields := [][3]string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" && field.Anonymous {
			fields = append(fields, describeFields(field.Type, structs)...)
			continue
		}
		if name == "" {
			name = field.Name
		}
		omit := ""
		if strings.Contains(options, "omitempty") {
			omit = "empty"
		}
		if strings.Contains(options, "omitzero") {
			omit = "zero"
		}
		fields = append(fields, [3]string{name, describeType(field.Type, structs), omit})
	}
	return fields
}
