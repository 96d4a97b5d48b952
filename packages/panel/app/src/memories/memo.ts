import { Component, type ComponentChild, type FunctionComponent, h } from 'preact';

/** A component that renders again only if one of its properties is another value. */
export function memo<Props extends object>(Inner: (props: Props) => ComponentChild): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return Object.entries(next).some(([name, value]) => value !== this.props[name as keyof Props]);
    }
    override render() {
      return h(Inner as FunctionComponent<Props>, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
