import { h, nextTick, onMounted, onUnmounted, ref } from 'vue';

/**
 * Shows one of its sections at a time: that to whose heading the address leads, else the first. Its tabs are links, so that
 * an address names a tab, and so that links from anywhere open it.
 */
export const SectionTabs = {
  setup(_, { slots }) {
    const root = ref();
    const tabs = ref([]);
    const shown = ref('');

    const follow = () => {
      const id = decodeURIComponent(location.hash.slice(1));
      const chosen = tabs.value.find((tab) => tab.id === id);
      // Other links within the page change nothing.
      if (chosen === undefined && shown.value !== '') return;
      shown.value = (chosen ?? tabs.value[0]).id;
      for (const heading of headings()) heading.parentElement.hidden = heading.id !== shown.value;
      return chosen;
    };
    const headings = () => root.value.querySelectorAll(':scope > section > h3');

    onMounted(async () => {
      tabs.value = [...headings()].map(({ id, firstChild }) => ({ id, title: firstChild.textContent.trim() }));
      const chosen = follow();
      addEventListener('hashchange', follow);
      if (chosen === undefined) return;
      await nextTick();
      // VitePress scrolls in the next frame, to where the heading was before other sections were hidden.
      requestAnimationFrame(() => document.getElementById(chosen.id)?.scrollIntoView());
    });
    onUnmounted(() => removeEventListener('hashchange', follow));

    const link = ({ id, title }) => h('a', { href: `#${id}`, 'aria-current': id === shown.value }, title);
    return () =>
      h('div', { ref: root, class: 'section-tabs' }, [
        h('nav', { 'aria-label': 'Frameworks', hidden: tabs.value.length === 0 }, tabs.value.map(link)),
        slots.default(),
      ]);
  },
};
