(function () {
  var field = document.getElementById('filter'), only = document.getElementById('only');
  var count = document.getElementById('shown'), items = document.querySelectorAll('[data-item]');
  var texts = Array.prototype.map.call(items, function (item) { return item.textContent.toLowerCase(); });
  function apply() {
    var words = field.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
    items.forEach(function (item, i) {
      var fits = words.every(function (word) { return texts[i].indexOf(word) >= 0; });
      fits = fits && !(only.checked && item.dataset.item === 'good');
      item.hidden = !fits;
      shown += fits;
    });
    document.querySelectorAll('[data-group]').forEach(function (group) {
      group.hidden = (words.length > 0 || only.checked) && !group.querySelector('[data-item]:not([hidden])');
    });
    count.textContent = words.length || only.checked ? shown + ' of ' + items.length : '';
  }
  function unfold() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    if (target) target.scrollIntoView();
  }
  document.querySelector('.tools').hidden = false;
  field.addEventListener('input', apply);
  only.addEventListener('change', apply);
  window.addEventListener('hashchange', unfold);
  unfold();
})();
