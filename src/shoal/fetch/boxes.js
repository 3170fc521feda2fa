// Which boxes does the page have? Called by render.py in a world of its own; answers in JSON, as
// shoal.model.rendered.Rendered. Getters are taken from the prototypes, because a form or a
// document hides its own properties behind fields of the same name. First all is read and then
// all is written, or every line would lay the page out anew.
(limit, attribute) => {
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (node) => get.call(node);
  };
  const parentOf = getter(Node, "parentNode");
  const textOf = getter(Node, "textContent");
  const nameOf = getter(Element, "localName");
  const htmlOf = getter(Element, "outerHTML");
  const attributeOf = (element, name) => Element.prototype.getAttribute.call(element, name);
  const rectOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const all = (selector) => Document.prototype.querySelectorAll.call(document, selector);
  const root = getter(Document, "documentElement")(document);

  const PICTURES = new Set(["img", "picture", "video", "canvas", "svg", "object", "embed"]);
  const CLOSED = new Set(["svg", "canvas", "video", "audio", "iframe", "object", "embed", "img"]);
  const NO_TEXT = new Set(["script", "style", "template", "head", "title", "meta", "link", "base"]);
  const CONTROLS = new Set(["select", "textarea", "datalist", "option", "input"]);
  const BLOCKS = new Set(
    "div li ul ol dl dt dd p section article nav aside header footer main form table td h1 h2 h3 h4 h5 h6".split(" "),
  );
  const MARKS = /[,.;:!?،؛؟।、。，；：！？]/g;
  const OPEN = "display:block;visibility:visible;height:auto;width:auto;overflow:visible;position:static;clip:auto"
    .replaceAll(/;|$/g, "!important;");
  const round = (value) => Math.round(value * 10) / 10 || 0;
  const rgb = (text) => {
    const parts = text.match(/[\d.]+/g) || [];
    if (!text.startsWith("rgb") || parts.length < 3 || (parts.length > 3 && +parts[3] < 0.1)) return -1;
    return (Math.round(+parts[0]) << 16) | (Math.round(+parts[1]) << 8) | Math.round(+parts[2]);
  };

  for (const element of all(`[${attribute}]`)) Element.prototype.removeAttribute.call(element, attribute);
  // What a click opens is there to be read.
  for (const element of all("details")) {
    Element.prototype.removeAttribute.call(element, "name");
    Element.prototype.setAttribute.call(element, "open", "");
  }

  const isShown = (style, rect) => {
    if (style.display === "none") return false;
    if (style.visibility !== "visible") return false;
    if (style.contentVisibility === "hidden") return false;
    if (style.display === "contents" || style.display === "inline") return true;
    const clipped = style.overflowX !== "visible" || style.overflowY !== "visible" || style.clip !== "auto";
    if (clipped && (rect.width <= 1.5 || rect.height <= 1.5)) return false;
    return !(rect.width > 0 && (rect.right + scrollX <= 0 || rect.bottom + scrollY <= 0));
  };
  const isBlock = (name, display) => {
    if (display.startsWith("inline-")) return BLOCKS.has(name);
    return display !== "inline" && display !== "contents" && !display.startsWith("ruby");
  };
  const bordersOf = (style) =>
    ["Top", "Right", "Bottom", "Left"].reduce((sides, side, at) => {
      const drawn = parseFloat(style[`border${side}Width`]) > 0 && rgb(style[`border${side}Color`]) !== -1;
      return sides | (drawn ? 1 << at : 0);
    }, 0);

  const look = () => {
    const boxes = [];
    const elements = [];
    const states = new Map(); // element -> [its box, in a link, its style]
    const add = (element, name, parent, rect, style, shown) => {
      const isRoot = name === "html" || name === "body";
      const box = {
        parent, name, rect, shown, chars: 0, marks: 0, links: 0, fonts: new Map(), pictures: 0,
        role: (attributeOf(element, "role") || "").trim().split(/\s/)[0].toLowerCase().slice(0, 30),
        fixed: style.position === "fixed" || style.position === "sticky",
        background: rgb(style.backgroundColor), borders: isRoot ? 0 : bordersOf(style),
      };
      boxes.push(box);
      elements.push(element);
      return boxes.length - 1;
    };
    let seen = 0;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      if (node.nodeType === 3) return NodeFilter.FILTER_ACCEPT;
      if (++seen > limit) return NodeFilter.FILTER_REJECT;
      const name = nameOf(node);
      if (NO_TEXT.has(name)) return NodeFilter.FILTER_REJECT;
      const state = states.get(parentOf(node));
      const [parent, inLink] = state || [-1, false];
      const style = getComputedStyle(node);
      const rect = rectOf(node);
      if (PICTURES.has(name) && parent >= 0 && style.display !== "none")
        boxes[parent].pictures += rect.width * rect.height;
      if (CLOSED.has(name)) return NodeFilter.FILTER_REJECT;
      const shown = isShown(style, rect) && !CONTROLS.has(name);
      if (!shown) {
        add(node, name, parent, rect, style, false);
        return NodeFilter.FILTER_REJECT;
      }
      const block = !state || isBlock(name, style.display);
      const box = block ? add(node, name, parent, rect, style, true) : parent;
      const link = inLink || (name === "a" && attributeOf(node, "href") !== null) || name === "button"
        || attributeOf(node, "role") === "button";
      states.set(node, [box, link, style]);
      return NodeFilter.FILTER_ACCEPT;
    });
    states.set(root, [add(root, "html", -1, rectOf(root), getComputedStyle(root), true), false, getComputedStyle(root)]);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType !== 3) continue;
      const text = textOf(node).replace(/\s+/g, "");
      const length = text.length;
      const state = states.get(parentOf(node));
      if (!length || !state) continue;
      const [at, inLink, style] = state;
      const box = boxes[at];
      box.chars += length;
      box.marks += (text.match(MARKS) || []).length;
      if (inLink) box.links += length;
      const font = `${parseFloat(style.fontSize)}|${parseInt(style.fontWeight, 10)}|${rgb(style.color)}`;
      box.fonts.set(font, (box.fonts.get(font) || 0) + length);
    }
    return { boxes, elements, seen };
  };

  // A page that waits for its scripts hides most of what it says (React streams whole pages into
  // hidden elements). Then hiding says nothing, and what holds much of the text is brought out.
  const textIn = (element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node.nodeType === 1 && (NO_TEXT.has(nameOf(node)) || CONTROLS.has(nameOf(node)))
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
    );
    let length = 0;
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      if (node.nodeType === 3) length += textOf(node).replace(/\s+/g, "").length;
    return length;
  };
  const bringOut = (found) => {
    const hidden = found.boxes.map((box, at) =>
      box.shown || CONTROLS.has(box.name) ? 0 : textIn(found.elements[at]));
    const shown = found.boxes.reduce((sum, box) => sum + box.chars, 0);
    const total = hidden.reduce((sum, length) => sum + length, shown);
    if (shown * 3 >= total) return false;
    const large = found.elements.filter((_, at) => hidden[at] * 10 >= total);
    for (const element of large) {
      Element.prototype.removeAttribute.call(element, "hidden");
      const style = attributeOf(element, "style") || "";
      Element.prototype.setAttribute.call(element, "style", `${style};${OPEN}`);
    }
    return large.length > 0;
  };
  let found = look();
  for (let tries = 0; tries < 3 && bringOut(found); tries++) found = look();
  const { boxes, elements, seen } = found;

  elements.forEach((element, number) => Element.prototype.setAttribute.call(element, attribute, number));
  const told = boxes.map((box, number) => {
    const [font] = [...box.fonts].reduce((best, each) => (each[1] > best[1] ? each : best), ["0|400|0", 0]);
    const [size, weight, colour] = font.split("|").map(Number);
    return [
      number, box.parent, box.name, round(box.rect.x + scrollX), round(box.rect.y + scrollY),
      round(box.rect.width), round(box.rect.height), box.shown, box.fixed, box.chars, box.links,
      size, weight, Math.max(colour, 0), box.background, box.borders, round(box.pictures),
      box.marks, box.role,
    ];
  });
  return JSON.stringify({
    html: htmlOf(root).toWellFormed(), // half a surrogate pair is no JSON
    width: root.scrollWidth,
    height: root.scrollHeight,
    boxes: told,
    problem: seen > limit ? `more than ${limit} elements: the rest has no boxes` : "",
  });
}
