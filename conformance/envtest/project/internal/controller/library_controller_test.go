package controller

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	booksv1 "library/api/v1"
)

var _ = Describe("Library Controller", func() {
	var namespace string
	var key types.NamespacedName

	shelves := func() []corev1.ConfigMap {
		list := &corev1.ConfigMapList{}
		Expect(k8sClient.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{"library": key.Name})).To(Succeed())
		return list.Items
	}
	fetched := func() *booksv1.Library {
		library := &booksv1.Library{}
		Expect(k8sClient.Get(ctx, key, library)).To(Succeed())
		return library
	}
	settled := func(shelvesWanted int32) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			library := fetched()
			g.Expect(library.Status.Shelves).To(Equal(shelvesWanted))
			condition := meta.FindStatusCondition(library.Status.Conditions, "Stocked")
			g.Expect(condition).NotTo(BeNil())
			g.Expect(condition.ObservedGeneration).To(Equal(library.Generation))
			g.Expect(shelves()).To(HaveLen(int(shelvesWanted)))
		}).Should(Succeed())
	}

	BeforeEach(func() {
		created := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "library-"}}
		Expect(k8sClient.Create(ctx, created)).To(Succeed())
		namespace = created.Name
		key = types.NamespacedName{Namespace: namespace, Name: "city"}
		library := &booksv1.Library{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: key.Name}, Spec: booksv1.LibrarySpec{Shelves: 2}}
		Expect(k8sClient.Create(ctx, library)).To(Succeed())
		settled(2)
	})

	It("owns the shelves it made", func() {
		library := fetched()
		Expect(library.Finalizers).To(ConsistOf(finalizer))
		Expect(library.Generation).To(Equal(int64(1)), "a status update is not a new generation")
		for _, shelf := range shelves() {
			Expect(metav1.IsControlledBy(&shelf, library)).To(BeTrue())
			Expect(shelf.Data).To(HaveKeyWithValue("access", "members"))
		}
	})

	It("recreates a deleted shelf", func() {
		Expect(k8sClient.Delete(ctx, &shelves()[0])).To(Succeed())
		Eventually(shelves).Should(HaveLen(2))
	})

	DescribeTable("follows the spec", func(wish int32) {
		Eventually(func() error {
			library := fetched()
			library.Spec.Shelves = wish
			return k8sClient.Update(ctx, library)
		}).Should(Succeed())
		settled(wish)
	},
		Entry("up", int32(7)),
		Entry("down", int32(1)),
		Entry("to nothing", int32(0)),
	)

	It("refuses what the schema and its rules forbid", func() {
		library := fetched()
		library.Spec.Shelves = 12
		err := k8sClient.Update(ctx, library)
		Expect(errors.IsInvalid(err)).To(BeTrue(), fmt.Sprint(err))
		Expect(err.Error()).To(ContainSubstring("spec.shelves in body should be less than or equal to 9"))

		library = fetched()
		library.Spec.Shelves, library.Spec.Access = 4, "closed"
		err = k8sClient.Update(ctx, library)
		Expect(errors.IsInvalid(err)).To(BeTrue(), fmt.Sprint(err))
		Expect(err.Error()).To(ContainSubstring("a closed library has at most 3 shelves"))
	})

	It("takes stock before it goes", func() {
		Expect(k8sClient.Delete(ctx, fetched())).To(Succeed())
		Eventually(func() bool {
			return errors.IsNotFound(k8sClient.Get(ctx, key, &booksv1.Library{}))
		}).Should(BeTrue())
		inventory := &corev1.ConfigMap{}
		Expect(k8sClient.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "city-inventory"}, inventory)).To(Succeed())
		Expect(inventory.Data).To(HaveKeyWithValue("shelves", "2"))
		Expect(shelves()).To(HaveLen(2), "no garbage collector runs here")
	})
})
