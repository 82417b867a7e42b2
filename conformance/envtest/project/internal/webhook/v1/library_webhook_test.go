package v1

import (
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	booksv1 "library/api/v1"
)

type heard struct {
	sync.Mutex
	texts []string
}

func (h *heard) HandleWarningHeader(code int, _, text string) {
	h.Lock()
	defer h.Unlock()
	h.texts = append(h.texts, fmt.Sprintf("%d %s", code, text))
}

var _ = Describe("Library Webhook", func() {
	library := func(name string, spec booksv1.LibrarySpec) *booksv1.Library {
		return &booksv1.Library{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: spec}
	}

	It("fills in what is missing", func() {
		object := library("plain", booksv1.LibrarySpec{Shelves: 1})
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		Expect(object.Spec.Motto).To(Equal("read"))
		Expect(object.Spec.Access).To(Equal("members"))
	})

	It("refuses on create, update and delete, in its own words", func() {
		err := k8sClient.Create(ctx, library("bad", booksv1.LibrarySpec{Shelves: 1, Motto: "burn"}))
		Expect(errors.IsForbidden(err)).To(BeTrue(), fmt.Sprint(err))
		Expect(err.Error()).To(Equal(`admission webhook "vlibrary-v1.example.com" denied the request: no such motto in a library`))

		object := library("long", booksv1.LibrarySpec{Shelves: 5, Motto: "forever"})
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		object.Spec.Shelves = 2
		Expect(k8sClient.Update(ctx, object)).To(MatchError(ContainSubstring("at most one shelf may go at a time")))
		Expect(k8sClient.Delete(ctx, object)).To(MatchError(ContainSubstring("this library stays")))
		object.Spec.Shelves, object.Spec.Motto = 4, "read"
		Expect(k8sClient.Update(ctx, object)).To(Succeed())
		Expect(k8sClient.Delete(ctx, object)).To(Succeed())
	})

	It("warns", func() {
		warnings := &heard{}
		config := rest.CopyConfig(cfg)
		config.WarningHandler = warnings
		warned, err := client.New(config, client.Options{Scheme: scheme.Scheme})
		Expect(err).NotTo(HaveOccurred())
		Expect(warned.Create(ctx, library("room", booksv1.LibrarySpec{}))).To(Succeed())
		Expect(warnings.texts).To(ContainElement("299 a library without shelves is a room"))
	})

	It("is called on a dry run too, and nothing is stored", func() {
		object := library("tried", booksv1.LibrarySpec{Shelves: 1})
		Expect(k8sClient.Create(ctx, object, client.DryRunAll)).To(Succeed())
		Expect(object.Spec.Motto).To(Equal("read"))
		Expect(errors.IsNotFound(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object))).To(BeTrue())
	})
})
