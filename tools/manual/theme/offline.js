// Lets the search work in pages that are opened as files. Browsers neither read JSON from files nor start workers there, but they run
// scripts: the index is one (search/search_index.js), and the theme's worker runs in a hidden frame. On a server this does nothing.
if (location.protocol === "file:") {
    const base = document.currentScript.dataset.base;
    document.write(`<script src="${base}/search/search_index.js"><\/script>`);

    // The theme's worker looks for this name in its parent.
    window.IFrameWorker = class extends EventTarget {
        constructor(url) {
            super();
            this.waiting = [];
            const frame = document.createElement("iframe");
            frame.hidden = true;
            document.body.appendChild(frame);
            this.scope = frame.contentWindow;
            this.scope.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
            const script = frame.contentDocument.createElement("script");
            script.src = url;
            script.onload = () => {
                const waiting = this.waiting;
                this.waiting = null;
                waiting.forEach(data => this.postMessage(data));
            };
            frame.contentDocument.body.appendChild(script);
        }
        postMessage(data) {
            if (this.waiting) this.waiting.push(data);
            else this.scope.dispatchEvent(new this.scope.MessageEvent("message", {data}));
        }
    };
    window.Worker = window.IFrameWorker;
}
