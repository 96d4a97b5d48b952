import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { nextTick, onMounted, watch } from 'vue';
import { SectionTabs } from './section-tabs.js';
import './style.css';

/** The theme of VitePress, with what screen readers and weak eyes need besides. */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('SectionTabs', SectionTabs);
  },
  setup() {
    const route = useRoute();
    onMounted(markContent);
    watch(
      () => route.path,
      () => nextTick(markContent),
    );
  },
};

/** The home page and "not found" have no landmark for their content. */
function markContent() {
  const content = document.querySelector('#VPContent');
  if (content?.querySelector('main')) content.removeAttribute('role');
  else content?.setAttribute('role', 'main');
}
