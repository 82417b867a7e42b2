// Package plain tests with the standard library's testing alone.
package plain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	booksv1 "library/api/v1"
)

var (
	ctx = context.Background()
	env *envtest.Environment
	cfg *rest.Config
)

func TestMain(m *testing.M) {
	if err := booksv1.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	env = &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "config", "crd", "bases")}, ErrorIfCRDPathMissing: true}
	started := time.Now()
	var err error
	if cfg, err = env.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("environment started in %d ms\n", time.Since(started).Milliseconds())
	code := m.Run()
	if err := env.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func clientFor(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	made, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func namespaceFor(t *testing.T, c client.Client) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "plain-"}}
	if err := c.Create(ctx, namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

func TestStaleUpdateConflicts(t *testing.T) {
	c := clientFor(t, cfg)
	library := &booksv1.Library{ObjectMeta: metav1.ObjectMeta{Namespace: namespaceFor(t, c), Name: "a"}, Spec: booksv1.LibrarySpec{Shelves: 1}}
	if err := c.Create(ctx, library); err != nil {
		t.Fatal(err)
	}
	stale := library.DeepCopy()
	library.Spec.Shelves = 2
	if err := c.Update(ctx, library); err != nil {
		t.Fatal(err)
	}
	stale.Spec.Shelves = 3
	if err := c.Update(ctx, stale); !errors.IsConflict(err) {
		t.Fatalf("a stale update should conflict: %v", err)
	}
	if library.Generation != 2 {
		t.Fatalf("generation %d after one change", library.Generation)
	}
}

func TestApplyKeepsWhatOthersOwn(t *testing.T) {
	c := clientFor(t, cfg)
	namespace := namespaceFor(t, c)
	applied := func(owner string, spec map[string]any, force bool) error {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "books.example.com/v1", "kind": "Library",
			"metadata": map[string]any{"namespace": namespace, "name": "shared"}, "spec": spec,
		}}
		options := []client.ApplyOption{client.FieldOwner(owner)}
		if force {
			options = append(options, client.ForceOwnership)
		}
		return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), options...)
	}
	if err := applied("ana", map[string]any{"shelves": int64(2), "motto": "read"}, false); err != nil {
		t.Fatal(err)
	}
	if err := applied("ben", map[string]any{"shelves": int64(3)}, false); !errors.IsConflict(err) {
		t.Fatalf("applying over another manager's field should conflict: %v", err)
	}
	if err := applied("ben", map[string]any{"shelves": int64(3)}, true); err != nil {
		t.Fatal(err)
	}
	library := &booksv1.Library{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "shared"}, library); err != nil {
		t.Fatal(err)
	}
	if library.Spec.Shelves != 3 || library.Spec.Motto != "read" {
		t.Fatalf("spec is %+v", library.Spec)
	}
}

func TestUsersMayWhatRolesSay(t *testing.T) {
	admin := clientFor(t, cfg)
	namespace := namespaceFor(t, admin)
	user, err := env.AddUser(envtest.User{Name: "ana", Groups: []string{"readers"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	reader := clientFor(t, user.Config())
	if err := reader.List(ctx, &booksv1.LibraryList{}, client.InNamespace(namespace)); !errors.IsForbidden(err) {
		t.Fatalf("not allowed yet: %v", err)
	}
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "readers"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"books.example.com"}, Resources: []string{"libraries"}, Verbs: []string{"get", "list"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "readers"},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "readers"},
		Subjects:   []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "readers"}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := admin.Create(ctx, object); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := reader.List(ctx, &booksv1.LibraryList{}, client.InNamespace(namespace))
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	if err := reader.List(ctx, &corev1.SecretList{}, client.InNamespace(namespace)); !errors.IsForbidden(err) {
		t.Fatalf("a role for libraries is no role for secrets: %v", err)
	}
}

func TestServiceAccountTokens(t *testing.T) {
	c := clientFor(t, cfg)
	namespace := namespaceFor(t, c)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "robot"}}
	if err := c.Create(ctx, account); err != nil {
		t.Fatal(err)
	}
	sets := kubernetes.NewForConfigOrDie(cfg)
	request, err := sets.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(cfg)
	config.BearerToken = request.Status.Token
	who, err := kubernetes.NewForConfigOrDie(config).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "system:serviceaccount:" + namespace + ":robot"; who.Status.UserInfo.Username != want {
		t.Fatalf("the token is %q's, not %q's", who.Status.UserInfo.Username, want)
	}
}

func TestServicesAndPodsWithoutControllers(t *testing.T) {
	c := clientFor(t, cfg)
	namespace := namespaceFor(t, c)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	if err := c.Create(ctx, service); err != nil {
		t.Fatal(err)
	}
	if ip := service.Spec.ClusterIP; len(ip) < 8 || ip[:7] != "10.0.0." {
		t.Fatalf("the address %q is not of --service-cluster-ip-range", ip)
	}
	yes := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pod"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i", SecurityContext: &corev1.SecurityContext{Privileged: &yes}}}},
	}
	if err := c.Create(ctx, pod); err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodRunning
	if err := c.Status().Update(ctx, pod); err != nil {
		t.Fatal(err)
	}
	doomed := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if err := c.Delete(ctx, doomed); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKey{Name: namespace}, doomed); err != nil || doomed.Status.Phase != corev1.NamespaceTerminating {
		t.Fatalf("a namespace stays, terminating, where no controller empties it: %v %v", doomed.Status.Phase, err)
	}
}

// Runs last: it stops the server that the other tests use.
func TestZRestartFindsTheData(t *testing.T) {
	c := clientFor(t, cfg)
	namespace := namespaceFor(t, c)
	library := &booksv1.Library{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "old"}, Spec: booksv1.LibrarySpec{Shelves: 4}}
	if err := c.Create(ctx, library); err != nil {
		t.Fatal(err)
	}
	server := env.ControlPlane.APIServer
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	user, err := env.ControlPlane.AddUser(envtest.User{Name: "again", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := &booksv1.Library{}
	again := clientFor(t, user.Config())
	// CRDs are served shortly after the server is ready.
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err := again.Get(ctx, client.ObjectKeyFromObject(library), found)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	if found.UID != library.UID || found.ResourceVersion != library.ResourceVersion || found.Spec != library.Spec {
		t.Fatalf("it is not as it was: %+v", found)
	}
}
